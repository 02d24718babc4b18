import HTTPTransfer

/// LibreSpeed's backends: PHP's file names, those without `.php` of the other servers, and both below `backend/`.
struct LibreSpeedDialect: SpeedTestDialect {
    private let base: String
    /// What precedes and follows the names.
    private var place = (folder: "", suffix: ".php")
    private static let places = [("", ".php"), ("backend/", ".php"), ("", ""), ("backend/", "")]

    init(base: WebURL) { self.base = base.base }

    /// 1024 MiB at a time; an upload as large as the web client's, since PHP and nginx refuse much larger ones.
    var largest: (download: UInt64, upload: UInt64) { (1 << 30, 20 << 20) }

    mutating func prepare(asking transport: any SpeedTestTransport) async throws(SpeedTestFailure) {
        var answer = "nothing"
        for (folder, suffix) in Self.places {
            place = (folder, suffix)
            let response = try await transport.ask(ping())
            if isPong(response) { return }
            if let failure = SpeedTestFailure(refusal: response, of: ping()), response.isBusy { throw failure }
            answer = "status \(response.status), \(response.body.count) bytes"
        }
        throw SpeedTestFailure(.status, "\(base) has no empty.php of LibreSpeed: \(answer)")
    }

    func ping() -> SpeedTestRequest { .small(url("empty")) }

    /// The body must be empty, as LibreSpeed's own clients require.
    func isPong(_ response: SpeedTestResponse) -> Bool { response.status == 200 && response.body.isEmpty }

    func download(bytes: UInt64) -> SpeedTestRequest {
        .download("\(url("garbage"))&ckSize=\(size(ofDownload: bytes) >> 20)")
    }

    /// Whole MiB.
    func size(ofDownload bytes: UInt64) -> UInt64 { max(1, bytes >> 20) << 20 }

    func upload(bytes: UInt64, id: String) -> SpeedTestRequest { .upload(url("empty")) }

    /// The random number bypasses caches.
    private func url(_ name: String) -> String {
        "\(base)/\(place.folder)\(name)\(place.suffix)?r=\(SpeedTestRequest.token())"
    }
}
