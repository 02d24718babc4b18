/// What a speed-test server understands.
public enum SpeedTestProtocol: String, Sendable, Codable, CaseIterable {
    /// This project's own: `/ping`, `/download?size=N`, `/upload`, and counters of what arrived.
    case speedlab
    /// LibreSpeed's backend: `garbage.php`, `empty.php`.
    case librespeed
    /// speed.cloudflare.com: `/__down`, `/__up`.
    case cloudflare
    /// Apple's networkQuality (draft-ietf-ippm-responsiveness): `/.well-known/nq`.
    case networkquality
    /// M-Lab's ndt7: WebSockets, one connection a direction.
    case ndt7
}

/// Which requests a kind of server understands; one file each.
protocol SpeedTestDialect: Sendable {
    /// - Parameter base: the server's URL as the user gave it.
    init(base: ServerURL)

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

extension SpeedTestRequest {
    /// A body that is compressed on its way is not measured.
    private static let headers = ["Accept-Encoding": "identity"]
    private static let uploadHeaders = ["Accept-Encoding": "identity", "Content-Type": "application/octet-stream"]
    /// Load ends when it is cancelled, not by this.
    private static let loadTimeout = Duration.seconds(120)

    static func small(_ url: String) -> Self { Self(url: url, headers: headers) }
    static func download(_ url: String) -> Self { Self(url: url, headers: headers, timeout: loadTimeout) }
    static func upload(_ url: String) -> Self { Self(url: url, headers: uploadHeaders, timeout: loadTimeout) }

    /// Sixteen random hexadecimal digits, for identifiers and against caches.
    static func token() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
