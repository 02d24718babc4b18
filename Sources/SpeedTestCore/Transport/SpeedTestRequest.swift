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
