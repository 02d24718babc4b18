import FoundationEssentials
package import HTTPTransfer

extension TransferRequest {
    /// The transfer for a request.
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
        do throws(TransferError) { try validate() } catch { throw .invalidRequest(error.message) }
    }
}

extension RetryableRequest {
    /// The same request with an absolute URL, below a base URL whose path and query are kept.
    ///
    /// Throws `invalidRequest` where it can never be sent.
    func checked(below base: URL?) throws(OfflineError) -> RetryableRequest {
        let request = copy(endpoint: Self.absolute(endpoint, below: base))
        _ = try TransferRequest(request)
        return request
    }

    /// What decides which requests it waits for.
    var lane: String { orderingKey ?? WebURL(endpoint)?.host.lowercased() ?? "" }

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
