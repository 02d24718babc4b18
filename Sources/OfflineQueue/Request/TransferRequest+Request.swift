import FoundationEssentials
package import HTTPTransfer

extension TransferRequest {
    /// In bytes, of the URL and the headers together: servers take less, and libcurl sends no megabyte.
    private static let headLimit = 65_536

    /// The transfer for a request, as it is sent.
    ///
    /// The queue makes one before it accepts a request, and the sender makes one for each try: both refuse the same.
    ///
    /// - Throws: `invalidRequest`, for everything that makes it impossible to send.
    package init(_ request: RetryableRequest) throws(OfflineError) {
        guard let method = Method(rawValue: request.method) else {
            let names = Method.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidRequest("the method \(request.method.debugDescription) is none of \(names)")
        }
        self.init(url: request.endpoint, method: method)
        headers = request.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        if let bytes = request.body { body = .bytes([UInt8](bytes)) }
        if let reason = Self.mistake(in: request) { throw .invalidRequest(reason) }
        do throws(TransferError) { try validate() } catch { throw .invalidRequest(error.message) }
    }

    /// What is wrong with a request that libcurl could send; nil: nothing.
    private static func mistake(in request: RetryableRequest) -> String? {
        // It would be stored, and be a part of the URL wherever that is shown.
        guard WebURL(request.endpoint)?.userInfo == nil else { return "the URL has user info: expected none" }
        let keys = request.headers.filter { $0.key.lowercased() == "idempotency-key" }.values
        for key in [request.idempotencyKey].compactMap(\.self) + keys {
            guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
                return "the idempotency key has \(key.utf8.count) bytes: expected 1 to 255, and no control character"
            }
        }
        if let name = request.headers.keys.first(where: HeaderRules.belongsToConnection) {
            return "the header \(name.debugDescription) belongs to the connection: expected none"
        }
        let size = request.headers.reduce(request.endpoint.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard size <= headLimit else { return "URL and headers have \(size) bytes: expected \(headLimit) at most" }
        return nil
    }
}

extension RetryableRequest {
    /// The same request with an absolute URL, below a base URL whose path and query are kept.
    ///
    /// Throws `invalidRequest` where it can never be sent.
    func checked(below base: URL?) throws(OfflineError) -> RetryableRequest {
        let request = copy(endpoint: Self.absolute(endpoint, below: base))
        // Whether it has a body counts, and none of its bytes: no second copy of them is made.
        _ = try TransferRequest(request.sent.copy(body: body.map { _ in Data() }))
        return request
    }

    /// Which requests it waits for.
    var lane: QueueLane.Key {
        QueueLane.Key(name: orderingKey ?? WebURL(endpoint)?.host.lowercased() ?? "", keepsOrder: orderingKey != nil)
    }

    /// Host and port of a URL; empty: none.
    static func server(of endpoint: String) -> String {
        WebURL(endpoint).map { "\($0.host.lowercased()):\($0.port)" } ?? ""
    }

    /// The bytes that it takes of the queue's limit.
    var size: Int {
        [endpoint, method, requestType, idempotencyKey ?? "", orderingKey ?? "", requirement ?? ""]
            .reduce(body?.count ?? 0) { $0 + $1.utf8.count }
            + headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    private static func absolute(_ endpoint: String, below base: URL?) -> String {
        guard WebURL(endpoint) == nil, !endpoint.contains("://"), let base,
            var url = WebURL(base.absoluteString)
        else { return endpoint }
        let parts = endpoint.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? ""
        if !path.isEmpty {
            if url.path.hasSuffix("/") { url.path.removeLast() }
            url.path += path.hasPrefix("/") ? path : "/\(path)"
        }
        let queries = [url.query, parts.count == 2 ? String(parts[1]) : nil].compactMap(\.self)
        url.query = queries.isEmpty ? nil : queries.joined(separator: "&")
        return url.description
    }
}
