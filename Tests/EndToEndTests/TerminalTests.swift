import Foundation
import Lab
import Testing

extension EndToEndTests {
    /// What another host, or an argument, puts on the terminal of a command.
    @Suite(.timeLimit(.minutes(1))) struct Terminal {
        private static let hostile = "\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}31m\u{202e}\r"
        private static let shown = #"\u001b]0;x\u0007\u001b[2J\u009b31m\u202e\u000d"#

        @Test(arguments: [
            ["healthcheck", "--url"], ["healthcheck", "--requirement", "online", "--url"],
            ["check", "online", "--url"], ["requests", "--url"],
        ])
        func `an answer moves no cursor`(arguments: [String]) async throws {
            let body = "no\(Self.hostile)\nnext\n"
            let server = try RawServer { connection in
                _ = connection.readHead()
                connection.send(
                    "HTTP/1.1 503 Gone\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
            }
            defer { server.close() }
            let outcome = try await run([Repository.executable] + arguments + ["http://127.0.0.1:\(server.port)"])
            #expect(outcome.status == 1)
            let status = arguments[0] == "requests" ? "status 503: " : ""
            #expect(outcome.output + outcome.errors == "\(status)no\(Self.shown)\nnext\n")
        }

        @Test func `an error shows an argument as text`() async throws {
            let outcome = try await run([Repository.executable, "healthcheck", "--url", Self.hostile])
            #expect(outcome.status == 64)
            // Quoted as in JSON, where a carriage return has a shorter form.
            let quoted = Self.shown.dropLast(6) + #"\r"#
            #expect(outcome.errors.contains("found \"\(quoted)\"\n"))
        }
    }
}
