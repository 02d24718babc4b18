import HTTPTransfer

/// The protocol of a speed-test server.
public enum SpeedTestProtocol: String, Sendable, Codable, CaseIterable {
    /// This project's own: `/ping`, `/download?size=N`, `/upload`, and counters of uploads; also SpeedLabServer.
    case speedlab
    /// LibreSpeed's backend: `garbage.php`, `empty.php`.
    case librespeed
    /// speed.cloudflare.com: `/__down`, `/__up`.
    case cloudflare
    /// Apple's networkQuality (draft-ietf-ippm-responsiveness): `/.well-known/nq`.
    case networkquality
    /// M-Lab's ndt7: one WebSocket for each direction.
    case ndt7
}

/// The requests of a protocol; one file each.
protocol SpeedTestDialect: Sendable {
    /// - Parameter base: the server's URL as the user gave it.
    init(base: WebURL)

    /// The maximum bytes of one request.
    var largest: (download: UInt64, upload: UInt64) { get }

    /// Reads what the first measurement requires.
    mutating func prepare(asking transport: any SpeedTestTransport) async throws(SpeedTestFailure)

    /// The smallest request.
    func ping() -> SpeedTestRequest

    /// Whether a response is the answer to a ping.
    func isPong(_ response: SpeedTestResponse) -> Bool

    /// Requests so many bytes; the answer may be longer where the server supports no sizes.
    func download(bytes: UInt64) -> SpeedTestRequest

    /// The bytes that the answer to `download` has where the server supports sizes.
    func size(ofDownload bytes: UInt64) -> UInt64

    /// Sends so many bytes; `id` is the same for all uploads of one measurement.
    func upload(bytes: UInt64, id: String) -> SpeedTestRequest

    /// Requests the server's count of an upload; nil where it has none.
    func counters(id: String) -> SpeedTestRequest?

    /// The server's own time, where it reports it.
    func serverTime(in response: SpeedTestResponse) -> Duration?
}

extension SpeedTestDialect {
    mutating func prepare(asking transport: any SpeedTestTransport) async throws(SpeedTestFailure) {}
    func size(ofDownload bytes: UInt64) -> UInt64 { bytes }
    func counters(id: String) -> SpeedTestRequest? { nil }
    func serverTime(in response: SpeedTestResponse) -> Duration? { nil }
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

extension SpeedTestProtocol {
    /// The requests by plain HTTP; nil for ndt7.
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
