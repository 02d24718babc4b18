import HTTPTransfer

/// LibreSpeed's backends: PHP's file names, those without `.php` of the other servers, and both below `backend/`.
struct LibreSpeedDialect: SpeedTestDialect {
    private let base: String
    /// What stands before and after the names.
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

    func ping() -> SpeedTestRequest {
        SpeedTestRequest(url: url("empty"), headers: DialectRequest.headers)
    }

    /// Clients take any byte for a server that is down.
    func isPong(_ response: SpeedTestResponse) -> Bool { response.status == 200 && response.body.isEmpty }

    func download(bytes: UInt64) -> SpeedTestRequest {
        SpeedTestRequest(
            url: "\(url("garbage"))&ckSize=\(max(1, bytes >> 20))",
            headers: DialectRequest.headers,
            timeout: DialectRequest.loadTimeout
        )
    }

    func upload(bytes: UInt64, id: String) -> SpeedTestRequest {
        SpeedTestRequest(url: url("empty"), headers: DialectRequest.uploadHeaders, timeout: DialectRequest.loadTimeout)
    }

    /// The random number keeps caches out of it.
    private func url(_ name: String) -> String {
        "\(base)/\(place.folder)\(name)\(place.suffix)?r=\(DialectRequest.token())"
    }
}
