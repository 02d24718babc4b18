import Lab
import Testing

@testable import SpeedTestCore

/// What a server says about its refusal reaches people, once and harmless.
@Suite(.timeLimit(.minutes(3)))
struct RefusalTests {
    private func refusal(_ body: String, type: String? = "application/json") -> String {
        var response = SpeedTestResponse(status: 403, body: Array(body.utf8))
        response.headers["content-type"] = type
        return SpeedTestFailure(refusal: response, of: SpeedTestRequest(url: "http://h/ping"))?.message ?? ""
    }

    @Test(
        arguments: [
            (
                #"{"error":"the speed-test server is not open"}"#, "application/json",
                "the speed-test server is not open"
            ),
            (#"{"error":"a"}"#, "Application/JSON; charset=utf-8", "a"),
            ("too many tests are in progress\n", "text/plain; charset=utf-8", "too many tests are in progress"),
            ("one\r\ntwo\u{1b}[2J\u{9b}3m\u{202e}x\u{2028}y\0z", "text/plain", "one two [2J 3m x y z"),
        ]
    )
    func `the message of the body follows the status`(body: String, type: String, sentence: String) {
        #expect(refusal(body, type: type) == "http://h/ping answered with status 403: \(sentence)")
    }

    @Test(
        arguments: [
            ("<html>Forbidden</html>", "text/html"), ("", "text/plain"), (" \n", "text/plain"),
            ("{", "application/json"),
            (#"{"error":{"title":"x"}}"#, "application/json"), ("sorry", nil),
        ] as [(String, String?)]
    )
    func `any other body is left out`(body: String, type: String?) {
        #expect(refusal(body, type: type) == "http://h/ping answered with status 403")
    }

    @Test func `a sentence is bounded`() {
        let long = refusal(String(repeating: "a\u{301}\u{302}", count: 100_000), type: "text/plain")
        #expect(long.unicodeScalars.count < 1100)
        #expect(refusal(String(repeating: "x", count: 5000), type: "text/plain").count < 260)
    }

    @Test(arguments: Direction.allCases)
    func `a refusal of the load is reported with the server's message`(direction: Direction) async throws {
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                guard !head.isEmpty else { return }
                let isPing = head.contains(" /ping")
                let body = isPing ? #"{"status":"pong"}"# : "too many tests are in progress\n"
                let status = isPing ? "200 OK" : "503 Service Unavailable"
                connection.send(
                    "HTTP/1.1 \(status)\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
                guard isPing else {
                    connection.readAll()
                    return
                }
            }
        }
        defer { server.close() }
        let report = await runTest("http://127.0.0.1:\(server.port)") {
            $0.directions = [direction]
            $0.idleSamples = 1
        }
        #expect(report.failure?.message.hasSuffix("answered with status 503: too many tests are in progress") == true)
    }

    @Test(arguments: [
        ("\r\nContent-Type: text/plain", "not open to this address"),
        ("", "it requires credentials, or refuses this client"),
    ])
    func `a refusal by an ndt7 server too`(type: String, sentence: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 403 Forbidden\(type)\r\n\r\nnot open to this address\n")
        }
        let measurement = try NDT7Measurement.make(server.url)
        let failure = await #expect(throws: SpeedTestFailure.self) { try await measurement.measure(.download) }
        server.close()
        #expect(failure?.message == "127.0.0.1:\(server.port) answered 403: \(sentence)")
    }
}
