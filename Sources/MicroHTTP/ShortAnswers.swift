import CMicroHTTPD

/// The last short answers as libmicrohttpd sends them, for later answers with the same status, headers and body.
///
/// The handler makes each answer all the same, so that none is out of date: what is saved is the copy of its headers and body.
struct ShortAnswers: ~Copyable {
    /// What must be equal.
    private struct Key: Equatable {
        let status: Int
        let body: [UInt8]
        let headers: Headers

        /// nil for an answer that is not kept: too long, or one that changes its connection.
        init?(_ response: Response, limit: Int) {
            guard case .bytes(let body) = response.body, body.count < limit, response.congestionControl == nil,
                response.congestionControlField == nil
            else { return nil }
            (status, self.body, headers) = (response.status, body, response.headers)
        }
    }

    /// At most so many are kept, as a search compares with each.
    private static let capacity = 8

    private let limit: Int
    private var kept: [(key: Key, pointer: OpaquePointer)] = []

    /// - Parameter minimum: Bodies of this size may be compressed, so that they depend on the request.
    init(below minimum: Int) { limit = min(minimum, 256) }

    deinit {
        for answer in kept { MHD_destroy_response(answer.pointer) }
    }

    /// libmicrohttpd's response for an equal answer, to be queued before the next call of `keep`.
    func find(_ response: Response) -> OpaquePointer? {
        guard let key = Key(response, limit: limit) else { return nil }
        return kept.first { $0.key == key }?.pointer
    }

    /// Takes libmicrohttpd's response for this answer, if it is short, in place of the oldest.
    mutating func keep(_ pointer: OpaquePointer, for response: Response) -> Bool {
        guard let key = Key(response, limit: limit) else { return false }
        if kept.count == Self.capacity { MHD_destroy_response(kept.removeFirst().pointer) }
        kept.append((key, pointer))
        return true
    }
}
