import Foundation
import Testing

extension EndToEndTests {
    /// The description of the HTTP API beside the server that it describes.
    @Suite(.timeLimit(.minutes(11))) struct OpenAPI {
        /// What schemathesis did, where it found nothing.
        private struct Tally {
            var operations: Int
            var requests: Int
        }

        /// The names that `schemathesis.toml` asks for: a target and a requirement that hold, and others that do not.
        private static let configuration = """
            path: { viewpoint: host }
            internet: { enabled: false }
            targets:
              - { name: here, module: icmp, address: "127.0.0.1", interval: 1s }
              - { name: there, module: tcp, address: "127.0.0.1:1", interval: 1s }
            requirements:
              videoCall: { quality: poor, targets: [here] }
              backup: { targets: [there] }

            """
        private static let folder = "\(Repository.tests)/Fixtures/openapi"
        /// For each operation that has parameters or a body, of which there are nine beside the stream's.
        private static let examples = 1300

        /// Paths and operations, of a description.
        private func counts(_ description: String) throws -> (paths: Int, operations: Int) {
            let object = try JSONSerialization.jsonObject(with: Data(description.utf8)) as? [String: Any]
            let paths = try #require(object?["paths"] as? [String: [String: Any]])
            return (paths.count, paths.values.map(\.count).reduce(0, +))
        }

        /// Lets schemathesis ask for some of the paths.
        private static func ask(_ url: String, _ file: String, _ paths: [String]) async throws -> Tally {
            let scratch = try TemporaryFolder()
            // With the time that the tests beside it leave.
            let command =
                ["nice", "-n", "10", try Peer.program("schemathesis"), "--no-color"]
                + ["--config-file", "\(folder)/schemathesis.toml"]
                + ["run", file, "--url", url, "--max-examples", "\(examples)"] + paths
            let outcome = try await run(
                command,
                environment: [
                    "SCHEMATHESIS_HOOKS": "\(folder)/hooks.py", "HYPOTHESIS_STORAGE_DIRECTORY": scratch.path,
                    "PYTHONDONTWRITEBYTECODE": "1", "NO_PROXY": "127.0.0.1",
                ],
                // About a minute on a quiet machine: the limit ends what hangs, also where other programs take most of the time.
                within: .seconds(600)
            )
            guard outcome.status == 0 else {
                throw Failure(description: "\(paths): status \(outcome.status): \(outcome.output)\(outcome.errors)")
            }
            let words = outcome.output.split { $0.isWhitespace }
            func number(before word: String) -> Int? {
                words.firstIndex(of: word[...]).flatMap { $0 > 0 ? Int(words[$0 - 1]) : nil }
            }
            func number(after word: String) -> Int? {
                words.firstIndex(of: word[...]).flatMap { $0 + 1 < words.count ? Int(words[$0 + 1]) : nil }
            }
            return Tally(
                operations: try #require(number(after: "Tested:"), "\(outcome.output)"),
                requests: try #require(number(before: "generated,"), "\(outcome.output)")
            )
        }

        @Test func `10,000 requests get only answers that the description has`() async throws {
            try await withExporter(configuration: Self.configuration) { exporter in
                try await poll("the first probe of the target") {
                    try await exporter.request("/probe?target=here").status == 200 ? true : nil
                }
                let description = try await exporter.request("/api/v1/openapi.json")
                #expect(description.status == 200 && description.headers["content-type"] == "application/json")
                let folder = try TemporaryFolder()
                // Its own path would be left out if schemathesis had it from there.
                let file = try folder.write("openapi.json", description.body)
                let url = "http://127.0.0.1:\(exporter.port)"
                // What takes time is to think of the requests: one process would take twice as long.
                let paths = ["/health", "/probe", "/api/v1/requests"]
                async let first = Self.ask(url, file, paths.map { "--include-path=\($0)" })
                async let second = Self.ask(url, file, paths.map { "--exclude-path=\($0)" })
                let tallies = try await [first, second]
                // The stream ends only with its reader.
                #expect(tallies.map(\.operations).reduce(0, +) == (try counts(description.body).operations) - 1)
                #expect(tallies.map(\.requests).reduce(0, +) >= 10_000)
            }
        }

        @Test func `each route is described, below the prefix and where the settings have moved it`() async throws {
            try await withExporter(["--web.route-prefix=/net", "--web.telemetry-path=/m"]) { exporter in
                let description = try await exporter.request("/net/api/v1/openapi.json").body
                let object = try JSONSerialization.jsonObject(with: Data(description.utf8)) as? [String: Any]
                #expect((object?["servers"] as? [[String: String]])?.first?["url"] == "/net")
                let paths = try #require(object?["paths"] as? [String: Any])
                #expect(paths["/m"] != nil && paths["/metrics"] == nil)
                // One name for each path, and one for all below the requests; the embedded speed-test server's are others'
                // protocols.
                let described = paths.keys.filter { !$0.hasPrefix("/api/v1/requests/") }
                let name = "network_health_exporter_http_requests_total{handler="
                let handlers = try await exporter.request("/net/m").samples.keys.filter {
                    $0.hasPrefix(name) && $0.hasSuffix("code=\"200\"}") && !$0.contains("speedtest_server")
                }
                #expect(handlers.count == described.count, "\(handlers.sorted()) \(described.sorted())")
            }
        }
    }
}
