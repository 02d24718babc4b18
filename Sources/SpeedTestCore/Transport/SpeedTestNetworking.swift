/// Performs the HTTP requests of a speed test.
///
/// Each call ends soon after its task is cancelled, which is how a test ends its load. A response of any status is
/// returned; a `NetworkError` is the reason for none.
public protocol SpeedTestNetworking: Sendable {
    /// Performs a small GET and returns its body and its latency.
    func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse

    /// Performs a GET, discards its body, and calls `received` with the size of each piece as it arrives.
    func download(
        _ request: SpeedTestRequest,
        received: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse

    /// Performs a POST of random bytes, and calls `sent` with the size of each piece as it is sent.
    ///
    /// `byteCount` is the size of the whole body, with the request's `bodyHead` before the random bytes and its `bodyTail`
    /// after them.
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
    /// The headers besides the length.
    public var headers: [String: String]
    /// The limit from the start to the last byte.
    public var timeout: Duration
    /// How the body of an upload begins, such as with the head of a form's file.
    public var bodyHead: [UInt8] = []
    /// How the body of an upload ends.
    public var bodyTail: [UInt8] = []

    /// A request for this URL.
    public init(url: String, headers: [String: String] = [:], timeout: Duration = .seconds(3)) {
        self.url = url
        self.headers = headers
        self.timeout = timeout
    }
}

/// The response to a request of a speed test.
public struct SpeedTestResponse: Sendable, Equatable {
    /// The HTTP status, such as 200.
    public var status: Int
    /// Names are in lower case.
    public var headers: [String: String]
    /// The body of a small GET; empty where the body was only counted.
    public var body: [UInt8]
    /// From the last byte of the request to the first of the response.
    public var latency: Duration
    /// The duration of connecting; nil on an open connection, or where it is not known.
    public var connectDuration: Duration?
    /// The duration of the TLS handshake; nil without one.
    public var handshakeDuration: Duration?

    /// A response, such as that of a mock.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = [], latency: Duration = .zero) {
        self.status = status
        self.headers = headers
        self.body = body
        self.latency = latency
    }

    var isSuccess: Bool { (200..<300).contains(status) }
}
