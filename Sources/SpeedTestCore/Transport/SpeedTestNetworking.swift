/// Whoever performs the HTTP requests of a speed test.
///
/// Each call ends soon after its task is cancelled: that is how a test ends its load. An answer of any status is an
/// answer; a `NetworkError` says why there is none.
public protocol SpeedTestNetworking: Sendable {
    /// Performs a small GET and tells its body and how long the answer took.
    func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse

    /// Performs a GET whose body is thrown away, and calls `received` with the size of each piece as it arrives.
    func download(
        _ request: SpeedTestRequest,
        received: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse

    /// Performs a POST of so many random bytes, and calls `sent` with the size of each piece as it leaves.
    func upload(
        _ request: SpeedTestRequest,
        byteCount: Int,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse
}

/// One HTTP request of a speed test.
public struct SpeedTestRequest: Sendable, Equatable {
    /// Absolute, http or https.
    public var url: String
    /// What the request says beside its length.
    public var headers: [String: String]
    /// From the start to the last byte.
    public var timeout: Duration

    /// A request for this URL.
    public init(url: String, headers: [String: String] = [:], timeout: Duration = .seconds(3)) {
        self.url = url
        self.headers = headers
        self.timeout = timeout
    }
}

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
