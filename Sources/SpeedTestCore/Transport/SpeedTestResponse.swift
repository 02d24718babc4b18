/// What came back for a request of a speed test.
public struct SpeedTestResponse: Sendable, Equatable {
    /// Of HTTP, such as 200.
    public var status: Int
    /// By their names in lower case.
    public var headers: [String: String]
    /// Of a small GET; empty for a body that was only counted.
    public var body: [UInt8]
    /// From the last byte of the request to the first of the answer.
    public var latency: Duration
    /// What connecting took; nil where an open connection was used, or where it is not known.
    public var connectDuration: Duration?
    /// What the TLS handshake took; nil without one.
    public var handshakeDuration: Duration?

    /// An answer, such as one that a test makes up.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = [], latency: Duration = .zero) {
        self.status = status
        self.headers = headers
        self.body = body
        self.latency = latency
    }

    var isSuccess: Bool { (200..<300).contains(status) }
}
