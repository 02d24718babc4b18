import HTTPTransfer
import Probing

/// The requests to the host's exporter.
struct HostClient: Sendable {
    /// A container asks so often.
    static let interval = Duration.seconds(10)
    /// A latency or a fault is that of now for so long: two requests may fail, whose limit is 5 s.
    static let measurementAge = Duration.seconds(45)

    private static let limit = Duration.seconds(5)
    /// Bytes; 64 results of a server and a device have 50,000.
    private static let maxBody = 256 * 1024

    /// Without slashes at its end.
    let url: String
    private let options: HTTPRequestOptions
    private let transfers: TransferLoop

    /// - Throws: `SystemError` where descriptors or threads have run out.
    init(_ section: HostSection) throws {
        var url = section.url ?? ""
        while url.hasSuffix("/") { url.removeLast() }
        (self.url, options) = (url, section.request)
        transfers = try TransferLoop(name: "host exporter", userAgent: Version.userAgent)
    }

    /// Reads the events to the end of the connection.
    ///
    /// - Returns: the status of the answer.
    func stream(_ receive: @escaping @Sendable ([UInt8]) -> Void) async throws(TransferError) -> Int {
        var request = request("/api/v1/stream")
        request.headers.append(("Accept", "text/event-stream"))
        request.usesFreshConnection = true
        request.connectTimeout = Self.limit
        // A stream has no end; see `HostSilence.patience`.
        request.timeout = .seconds(365 * 86_400)
        request.sink = .stream { receive($0) }
        return try await transfers.perform(request).status
    }

    /// nil without an answer that is one.
    func snapshot() async -> SnapshotDocument? {
        guard let answer = await get("/api/v1/snapshot"), answer.status == 200 else { return nil }
        return JSONDocument.decode(SnapshotDocument.self, from: answer.text)
    }

    /// nil without an answer that is one.
    func speedTests() async -> HostSpeedTests? {
        guard let answer = await get("/api/v1/speedtest") else { return nil }
        return switch answer.status {
        case 200: HostSpeedTests(answer.text)
        // No test has run.
        case 404: HostSpeedTests()
        default: nil
        }
    }

    private func get(_ path: String) async -> TransferResponse? {
        var request = request(path)
        request.timeout = Self.limit
        request.sink = .collect(limit: Self.maxBody)
        return try? await transfers.perform(request)
    }

    private func request(_ path: String) -> TransferRequest {
        var request = TransferRequest(url: url + path)
        request.apply(options)
        return request
    }
}
