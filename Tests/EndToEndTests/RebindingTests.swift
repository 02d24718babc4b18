import Foundation
import Testing

extension EndToEndTests {
    /// A page whose name leads to the exporter's address, so that a browser takes both for one site.
    struct Rebinding {
        private static let evil = "Host: evil.example:10319"
        private static let flags = [
            "--web.enable-lifecycle", "--web.enable-admin-api", "--web.allowed-host=monitor.example",
            "--web.allowed-host=.monitoring.svc",
        ]
        private static let configuration = ExporterProcess.quiet + "speedtest_server: { enabled: true }\n"
        private static let health: Set = ["/health", "/-/healthy", "/-/ready"]

        /// Every operation that the description has, and one path of each dialect of the speed-test server.
        private func operations(_ exporter: ExporterProcess) async throws -> [(method: String, path: String)] {
            let text = try await exporter.request("/api/v1/openapi.json").body
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let paths = try #require(object?["paths"] as? [String: [String: Any]])
            let described = paths.flatMap { path, operations in
                operations.keys.map { method in
                    (method.uppercased(), path.replacing(/\{[a-z]+\}/, with: "2b1f5d3e-0000-4000-8000-000000000000"))
                }
            }
            let speedTests = [
                "/speedtest", "/speedtest/ping", "/speedtest/garbage", "/__down", "/meta", "/cdn-cgi/trace",
                "/.well-known/nq",
                "/ndt/v7/download", "/speedtest/latency.txt",
            ]
            return described + speedTests.map { ("GET", $0) } + [("POST", "/speedtest/upload"), ("OPTIONS", "/__up")]
        }

        @Test(.timeLimit(.minutes(2))) func `reads nothing but health, and the answer names the flag`() async throws {
            try await withExporter(Self.flags, configuration: Self.configuration) { exporter in
                let operations = try await operations(exporter)
                #expect(operations.count > 30)
                for (method, path) in operations {
                    let answer = try await exporter.request(
                        path,
                        method: method,
                        headers: [Self.evil, "Accept-Language: en"]
                    )
                    let isOpen = Self.health.contains(path)
                    #expect((answer.status == 403) != isOpen, "\(method) \(path): \(answer.status)")
                    #expect(isOpen || answer.body.contains("--web.allowed-host"), "\(method) \(path): \(answer.body)")
                }
            }
        }

        @Test(
            .timeLimit(.minutes(2)),
            arguments: [
                "Origin: http://evil.example:10319", "Sec-Fetch-Mode: cors", "Accept-Language: en",
                "User-Agent: Mozilla/5.0",
            ]
        )
        func `each header of browsers is enough, and known names are answered`(header: String) async throws {
            try await withExporter(Self.flags, configuration: Self.configuration) { exporter in
                for path in ["/metrics", "/", "/api/v1/status", "/api/v1/stream", "/speedtest/ping"] {
                    #expect(try await exporter.request(path, headers: [Self.evil, header]).status == 403, "\(path)")
                }
                let names = ["127.0.0.1", "[::1]:10319", "localhost", "monitor.example", "a.monitoring.svc:80"]
                for name in names {
                    let answer = try await exporter.request("/metrics", headers: ["Host: \(name)", header])
                    #expect(answer.status == 200, "\(name)")
                }
            }
        }

        @Test func `programs use any name, but read the configuration by a known one`() async throws {
            try await withExporter(Self.flags, configuration: Self.configuration) { exporter in
                let service = "Host: exporter.network.svc:10319"
                for path in ["/metrics", "/api/v1/snapshot", "/probe?target=none", "/speedtest/ping"] {
                    let answer = try await exporter.request(path, headers: [service])
                    #expect(answer.status != 403, "\(path)")
                }
                // curl sends no User-Agent at all, then one without a value, which a page can make a browser send.
                for (agent, isRefused) in [("User-Agent:", false), ("User-Agent;", true)] {
                    let answer = try await exporter.request(
                        "/metrics",
                        headers: [service, "Accept-Language: en", agent]
                    )
                    #expect((answer.status == 403) == isRefused, "\(agent)")
                }
                for (headers, expected) in [([service], 403), (["Host: monitor.example"], 200), ([], 200)] {
                    let answer = try await exporter.request("/config", headers: headers)
                    #expect(answer.status == expected, "\(headers)")
                }
            }
        }

        @Test func `speedtest-cli gets its configuration through the exporter as a proxy`() async throws {
            try await withExporter(configuration: Self.configuration) { exporter in
                let headers = [
                    "Host: www.speedtest.net", "User-Agent: Mozilla/5.0 (Linux; U; 64bit; en-us) speedtest-cli/2.1.3",
                ]
                let answer = try await exporter.request("/speedtest-config.php", headers: headers)
                #expect(answer.status == 200)
            }
        }

        @Test func `changes nothing`() async throws {
            try await withExporter(Self.flags) { exporter in
                let (evil, own) = ("evil.example", "monitor.example")
                let requests = [
                    (["Host: \(evil)", "Origin: http://\(evil)"], 403),
                    (["Host: \(evil)", "Sec-Fetch-Site: same-origin"], 403),
                    (["Host: \(own)", "Origin: http://\(evil)"], 403), (["Host: \(evil)"], 200),
                    (["Host: \(own)", "Origin: http://\(own)"], 200),
                ]
                for (headers, expected) in requests {
                    let status = try await exporter.request("/-/reload", method: "POST", headers: headers).status
                    #expect(status == expected, "\(headers)")
                }
            }
        }
    }
}
