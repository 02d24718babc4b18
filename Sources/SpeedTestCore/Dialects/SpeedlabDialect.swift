import HTTPTransfer

/// This project's own: `/ping`, `/download?size=N`, `/upload`, `/counters/ID`; or SpeedLabServer, which has the first three.
struct SpeedlabDialect: SpeedTestDialect {
    /// Which of the two servers answers.
    enum Server {
        case exporter
        /// github.com/andrey-torlopov/SpeedLabServer: an upload is a file of a form, and nothing counts its bytes.
        case speedLabServer
    }

    /// A server may send an answer to it that never ends.
    private static let patience = Duration.seconds(2)

    private let base: String
    private(set) var server = Server.exporter

    init(base: WebURL) { self.base = base.base }

    /// An exporter limits a download, and refuses an upload that announces more than it accepts.
    ///
    /// SpeedLabServer refuses downloads above 100 MiB, and bodies above 50 MiB.
    var largest: (download: UInt64, upload: UInt64) {
        switch server {
        case .exporter: (1_000_000_000, 100_000_000)
        case .speedLabServer: (104_857_600, 50_000_000)
        }
    }

    /// Finds out which server it is: SpeedLabServer refuses a download of nothing, which an exporter answers.
    mutating func prepare(asking transport: any SpeedTestTransport) async throws(SpeedTestFailure) {
        do throws(SpeedTestFailure) {
            // On a connection of its own: a server may close or forget the one on which it has refused something.
            var request = SpeedTestRequest.small("\(base)/download?size=0")
            request.timeout = Self.patience
            let response = try await transport.ask(request, onNewConnection: true)
            server = response.status == 400 ? .speedLabServer : .exporter
        } catch {
            // A server that is there and gives no answer of HTTP remains an exporter.
            guard error.reason != .unreachable, error.reason != .cancelled else { throw error }
        }
    }

    func ping() -> SpeedTestRequest { .small("\(base)/ping") }

    func isPong(_ response: SpeedTestResponse) -> Bool {
        response.status == 200 && String(decoding: response.body, as: UTF8.self).contains("\"pong\"")
    }

    func download(bytes: UInt64) -> SpeedTestRequest { .download("\(base)/download?size=\(bytes)") }

    func upload(bytes: UInt64, id: String) -> SpeedTestRequest {
        var request = SpeedTestRequest.upload("\(base)/upload")
        switch server {
        case .exporter: request.headers["X-Test-Id"] = id
        case .speedLabServer: request.encloseInForm(boundary: id)
        }
        return request
    }

    func counters(id: String) -> SpeedTestRequest? {
        server == .exporter ? .small("\(base)/counters/\(id)") : nil
    }
}

extension SpeedTestRequest {
    /// Makes the body a `multipart/form-data` (RFC 7578) with one file in the field `file`.
    ///
    /// The name is always the same: the server keeps a file for each name and second.
    fileprivate mutating func encloseInForm(boundary: String) {
        headers["Content-Type"] = "multipart/form-data; boundary=\(boundary)"
        let part = [
            "--\(boundary)", #"Content-Disposition: form-data; name="file"; filename="speedtest.bin""#,
            "Content-Type: application/octet-stream", "", "",
        ]
        bodyHead = Array(part.joined(separator: "\r\n").utf8)
        bodyTail = Array("\r\n--\(boundary)--\r\n".utf8)
    }
}
