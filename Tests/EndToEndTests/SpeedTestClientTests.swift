import Foundation
import Testing

extension EndToEndTests {
    /// Third-party clients against the embedded speed-test server.
    @Suite(.timeLimit(.minutes(2))) struct SpeedTestClients {
        private static let name = "network_health_embedded_server"
        private static let configuration = """
            path: { viewpoint: host }
            internet: { enabled: false }
            """

        /// Runs a client, which must succeed, and returns how many bytes the server sent and received meanwhile.
        private func serving(
            more: String = "",
            _ client: (_ url: String) async throws -> Void
        ) async throws -> (transmitted: Double, received: Double) {
            let server = "{ enabled: true, cors: [\"https://speed.cloudflare.com\"]\(more) }"
            let configuration = "\(Self.configuration)\nspeedtest_server: \(server)\n"
            return try await withExporter(configuration: configuration) { exporter in
                try await client("http://127.0.0.1:\(exporter.port)")
                // The server may notice after the client's end that its last transfers have ended.
                try await exporter.wait(for: "\(Self.name)_active_transfers", "0")
                let samples = try await exporter.request("/metrics").samples
                for (sample, value) in samples where sample.hasPrefix("\(Self.name)_rejected_total") {
                    #expect(value == "0", "\(sample)")
                }
                func bytes(_ direction: String) -> Double {
                    samples["\(Self.name)_\(direction)_bytes_total"].flatMap { Double($0) } ?? 0
                }
                return (bytes("transmit"), bytes("receive"))
            }
        }

        @Test(arguments: ["", "/", "/speedtest"]) func `speedtest-cli as a Mini server`(path: String) async throws {
            var counted: (Double, Double)?
            let (transmitted, received) = try await serving { url in
                // It first requests the configuration of speedtest.net, through the configured proxy.
                let result = try await Peer.object(
                    of: ["speedtest-cli", "--mini", "\(url)\(path)", "--json"],
                    environment: ["http_proxy": url, "no_proxy": "127.0.0.1"]
                )
                #expect(try #require(result["download"] as? Double) > 1e6)
                #expect(try #require(result["upload"] as? Double) > 1e6)
                #expect(try #require(result["ping"] as? Double) > 0)
                counted = (
                    try #require(result["bytes_received"] as? Double), try #require(result["bytes_sent"] as? Double)
                )
            }
            let client = try #require(counted)
            // It stops reading, and writing, when its time is over; its bytes have HTTP's headers in them.
            #expect(transmitted >= client.0 * 0.99 && received > 0 && received <= client.1)
        }

        @Test func `a script in Node, by fetch and WebSocket`() async throws {
            let (transmitted, received) = try await serving(more: ", max_duration: 2s") { url in
                let result = try await Peer.object(
                    of: ["node", "\(Repository.tests)/Fixtures/clients/node.js", url],
                    environment: ["NODE_PATH": "/usr/share/nodejs"]
                )
                let librespeed = try #require(result["librespeed"] as? [String: Any])
                #expect(librespeed["address"] as? String == "127.0.0.1" && librespeed["download"] as? Int == 4 << 20)
                for direction in ["download", "upload"] {
                    let ndt7 = try #require(result[direction] as? [String: Any])
                    #expect(ndt7["code"] as? Int == 1000)
                    let last = try #require(ndt7["last"] as? [String: Any])
                    #expect((last["ConnectionInfo"] as? [String: Any])?["UUID"] is String)
                    let application = try #require(last["AppInfo"] as? [String: Any])
                    #expect(try #require(application["NumBytes"] as? Int) > 1_000_000)
                    let bytes = try #require(ndt7["bytes"] as? Int)
                    #expect(direction == "upload" ? bytes == 0 : bytes > 1_000_000)
                }
            }
            #expect(transmitted > 5_000_000 && received > 3_000_000)
        }

        @Test func `cfspeed`() async throws {
            let (transmitted, received) = try await serving { url in
                let result = try await Peer.object(
                    of: [try Peer.program("cfspeed"), "--base-url", url, "-p", "2", "-d", "1", "--json"]
                )
                #expect(try #require(result["download_mbps"] as? Double) > 1)
                #expect(try #require(result["upload_mbps"] as? Double) > 1)
                #expect(try #require(result["latency_ms"] as? Double) > 0)
                #expect(result["failed_streams"] as? Int == 0)
            }
            #expect(transmitted > 1_000_000 && received > 1_000_000)
        }

        @Test func `jc-speedtest`() async throws {
            let (transmitted, received) = try await serving { url in
                let result = try await Peer.object(
                    of: [try Peer.program("jc-speedtest"), "--backend", "native", "--json"],
                    environment: ["JC_SPEEDTEST_BASE_URL": url]
                )
                #expect(try #require(result["download_mbps"] as? Double) > 1)
                #expect(try #require(result["upload_mbps"] as? Double) > 1)
                #expect(try #require(result["ping_ms"] as? Double) > 0)
            }
            #expect(transmitted > 1_000_000 && received > 1_000_000)
        }

        @Test func `cf-speedtest`() async throws {
            let (transmitted, received) = try await serving { url in
                let script = "\(Repository.tests)/Fixtures/cf_client.py"
                let result = try await Peer.object(of: [try Peer.program("python"), script, url])
                #expect(result["country"] as? String == "XX")
                #expect(try #require(result["download"] as? Double) > 1e6)
                #expect(try #require(result["upload"] as? Double) > 1e6)
            }
            // 12 × 100 kB and 10 × 1 MB; 10 and 8 of them.
            #expect(transmitted == 11_200_000)
            #expect(received == 9_000_000)
        }
    }
}
