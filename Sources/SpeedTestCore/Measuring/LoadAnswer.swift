/// A server's whole answer to a download: load, or something else that has come with a status of success.
struct LoadAnswer {
    /// Smaller bodies than requested are load from here on: a server may have a maximum of its own.
    private static let smallest: UInt64 = 65_536
    /// The types of pages of proxies and portals, and of error documents.
    ///
    /// Servers give any other type to bytes: `text/plain` where the file has no suffix, none at all, an image.
    private static let documents: Set<String> = [
        "text/html", "application/xhtml+xml", "application/json", "application/problem+json", "text/xml",
        "application/xml",
    ]

    private let contentType: String?
    private let received: UInt64
    /// The server has said where the body ends; else it ends with the connection (RFC 9112 section 6.3), also where that
    /// breaks.
    private let hasDeclaredEnd: Bool

    /// - Parameters:
    ///   - response: of a status of success; its body ended as declared.
    ///   - received: the bytes of its body.
    init(_ response: SpeedTestResponse, received: UInt64) {
        contentType = response.headers["content-type"]
        self.received = received
        hasDeclaredEnd = response.headers["content-length"] != nil || response.headers["transfer-encoding"] != nil
    }

    /// Why it is not load.
    ///
    /// - Parameter bytes: the size that was requested.
    /// - Returns: nil where it is load.
    func flaw(asked bytes: UInt64) -> (reason: SpeedTestFailure.Reason, message: String)? {
        if !Self.isLoad(status: nil, contentType: contentType) {
            return (.status, "answered with a document of the type \(contentType?.prefix(64) ?? "") instead of bytes")
        }
        guard received < (hasDeclaredEnd ? min(bytes, Self.smallest) : bytes) else { return nil }
        return (.short, "brought \(received) bytes instead of \(bytes)")
    }

    /// Whether the body that follows a head can be load; a status of nil is not known yet.
    static func isLoad(status: Int?, contentType: String?) -> Bool {
        guard (200..<300).contains(status ?? 200) else { return false }
        let type = contentType?.split(separator: ";").first?.filter { !$0.isWhitespace }.lowercased() ?? ""
        return !documents.contains(type)
    }
}
