import HTTPTransfer

/// Which requests a kind of server understands; one file each.
protocol SpeedTestDialect: Sendable {
    /// - Parameter base: the server's URL as the user gave it.
    init(base: WebURL)

    /// The most bytes that one request may move.
    var largest: (download: UInt64, upload: UInt64) { get }

    /// Looks for what must be known before the first measurement.
    mutating func prepare(asking transport: any SpeedTestTransport) async throws(SpeedTestFailure)

    /// The smallest request there is.
    func ping() -> SpeedTestRequest

    /// Whether that is what the server says to a ping.
    func isPong(_ response: SpeedTestResponse) -> Bool

    /// Asks for so many bytes; the answer may be longer where the server knows no sizes.
    func download(bytes: UInt64) -> SpeedTestRequest

    /// Announces so many bytes; `id` is the same for all of one measurement.
    func upload(bytes: UInt64, id: String) -> SpeedTestRequest

    /// Asks what has arrived of that upload; nil where the server does not count.
    func counters(id: String) -> SpeedTestRequest?

    /// How long the server itself took, where it tells.
    func serverTime(in response: SpeedTestResponse) -> Duration?
}

extension SpeedTestDialect {
    mutating func prepare(asking transport: any SpeedTestTransport) async throws(SpeedTestFailure) {}
    func counters(id: String) -> SpeedTestRequest? { nil }
    func serverTime(in response: SpeedTestResponse) -> Duration? { nil }
}

extension SpeedTestProtocol {
    /// Of those that are plain HTTP requests; nil for ndt7.
    var dialect: (any SpeedTestDialect.Type)? {
        switch self {
        case .speedlab: SpeedlabDialect.self
        case .librespeed: LibreSpeedDialect.self
        case .cloudflare: CloudflareDialect.self
        case .networkquality: NetworkQualityDialect.self
        case .ndt7: nil
        }
    }
}

extension WebURL {
    /// The base of a server's paths: without a query, and without a slash at the end.
    var base: String {
        var url = self
        url.query = nil
        var text = url.description
        while text.last == "/" { text.removeLast() }
        return text
    }
}

/// What all requests have in common.
enum DialectRequest {
    /// A body that was compressed on its way would be no measure.
    static let headers = ["Accept-Encoding": "identity"]
    static let uploadHeaders = ["Accept-Encoding": "identity", "Content-Type": "application/octet-stream"]
    /// Load ends when it is cancelled, not by this.
    static let loadTimeout = Duration.seconds(120)

    /// Sixteen hexadecimal digits, for identifiers and against caches.
    static func token() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
