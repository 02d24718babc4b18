import Foundation
import Testing

extension EndToEndTests {
    /// Clients with their default settings over an uplink of 10 Mbit/s, all at once, each on a link of its own.
    ///
    /// They take up to 50 s: cfspeed uploads 40 MiB at least.
    @Suite(.timeLimit(.minutes(2))) struct SpeedTestDefaults {
        private static let behaviour = RelayedLink.Behaviour(delay: .milliseconds(10), rate: (10_000_000, 30_000_000))
        private static let server = "http://\(RelayedLink.far):10319"
        /// What TCP carries, in Mbit/s.
        private static let truth = (
            up: RelayedLink.Behaviour.goodput(at: 10_000_000) * 8 / 1e6,
            down: RelayedLink.Behaviour.goodput(at: 30_000_000) * 8 / 1e6
        )
        /// On a machine that is busy a link is slower; no client may report much more than it carries.
        private static let share = 0.4...1.05

        /// Runs a client, and returns what the server has counted.
        private func serving(
            origin: (Namespace) async throws -> String? = { _ in nil },
            _ client: (Namespace) async throws -> Void
        ) async throws -> (transmitted: Double, received: Double) {
            try await withRelayedLink(Self.behaviour) { link in
                let origin = try await origin(link.host).map { "\"\($0)\"" } ?? ""
                let configuration = """
                    internet: { enabled: false }
                    gateway: { enabled: false }
                    speedtest_server: { enabled: true, allow: ["198.18.0.0/15"], cors: [\(origin)] }

                    """
                let flags = ["--web.listen-address=\(RelayedLink.far):10319"]
                return try await withExporter(flags, configuration: configuration, in: link.peer) { exporter in
                    try await client(link.host)
                    let samples = try await exporter.request("/metrics").samples
                    for (sample, value) in samples where sample.contains("embedded_server_rejected_total") {
                        #expect(value == "0", "\(sample)")
                    }
                    func bytes(_ name: String) throws -> Double {
                        try #require(
                            samples["network_health_embedded_server_\(name)_bytes_total"].flatMap { Double($0) }
                        )
                    }
                    return (try bytes("transmit"), try bytes("receive"))
                }
            }
        }

        /// The result of a page of `Fixtures/clients`.
        private func result(of page: String, scheme: String, path: String = "") async throws -> [String: Any] {
            var browser: Browser?
            var result: [String: Any] = [:]
            _ = try await serving(
                origin: { host in
                    let new = try await Browser(in: host)
                    browser = new
                    return "http://127.0.0.1:\(new.port)"
                },
                { _ in
                    let address = "\(scheme)://\(RelayedLink.far):10319\(path)"
                    result = try await #require(browser).result(of: page, server: address)
                }
            )
            return result
        }

        @Test func `each completes, and is right within its own method`() async throws {
            async let librespeed: Void = librespeed()
            async let ndt7: Void = ndt7()
            async let speedtestCLI: Void = speedtestCLI()
            async let cfspeed: Void = cfspeed()
            try await librespeed
            try await ndt7
            try await speedtestCLI
            try await cfspeed
        }

        private func librespeed() async throws {
            let result = try await result(of: "librespeed.html", scheme: "http", path: "/speedtest/")
            #expect(result["error"] == nil && result["failures"] as? Int == 0, "\(result)")
            #expect(result["address"] as? String == RelayedLink.near)
            #expect(try #require(result["ping"] as? Double) >= 20)
            // It adds 6 %, and the upload counts what waits in the browser's and the kernel's buffers.
            let (download, upload) = (
                try #require(result["download"] as? Double) / 1.06, try #require(result["upload"] as? Double) / 1.06
            )
            #expect(Self.share.contains(download / Self.truth.down), "\(result)")
            #expect((0.4...1.3).contains(upload / Self.truth.up), "\(result)")
        }

        private func ndt7() async throws {
            let result = try await result(of: "ndt7.html", scheme: "ws")
            let download = try #require(result["download"] as? [String: Any])
            let upload = try #require(result["upload"] as? [String: Any])
            // An upload is not clean for Chromium, which drops what it has not sent when the server's Close arrives.
            #expect(download["wasClean"] as? Bool == true, "\(download)")
            for part in [download, upload] { #expect(part["code"] as? Int == 1000, "\(part)") }
            let rate = try #require(download["rate"] as? Double) / Self.truth.down
            // A page on a busy machine may learn late that it is connected, and has bytes from before.
            let (seconds, whole) = (
                try #require(download["seconds"] as? Double), try #require(download["whole"] as? Double)
            )
            #expect(rate >= Self.share.lowerBound && rate * seconds / whole <= Self.share.upperBound, "\(download)")
            // The server's count, as the specification asks.
            let last = try #require(upload["last"] as? [String: Any])
            let tcp = try #require(last["TCPInfo"] as? [String: Any])
            let (bytes, time) = (
                try #require(tcp["BytesReceived"] as? Double), try #require(tcp["ElapsedTime"] as? Double)
            )
            #expect(Self.share.contains(bytes * 8 / time / Self.truth.up), "\(tcp)")
            #expect((last["ConnectionInfo"] as? [String: Any])?["UUID"] is String)
        }

        private func speedtestCLI() async throws {
            let (_, received) = try await serving { host in
                let result = try await Peer.object(
                    of: host.prefix + ["speedtest-cli", "--mini", Self.server, "--json"],
                    environment: ["http_proxy": Self.server, "no_proxy": RelayedLink.far]
                )
                let (download, upload) = (
                    try #require(result["download"] as? Double) / 1e6, try #require(result["upload"] as? Double) / 1e6
                )
                #expect(Self.share.contains(download / Self.truth.down), "\(result)")
                // It counts what it wrote, also of requests that its time limit cuts.
                #expect((0.4...1.5).contains(upload / Self.truth.up), "\(result)")
            }
            #expect(received > 1_000_000)
        }

        private func cfspeed() async throws {
            var (uploaded, failed) = (0.0, 0.0)
            let (_, received) = try await serving { host in
                let result = try await Peer.object(
                    of: host.prefix + [try Peer.program("cfspeed"), "--base-url", Self.server, "--json"],
                    within: .seconds(90)
                )
                // Its own time limit for a request of 10 MiB is 30 s, which four of them exceed on this uplink.
                failed = try #require(result["failed_streams"] as? Double)
                uploaded = try #require(result["upload_bytes"] as? Double)
                // It divides by its ten seconds, although it waits for its last requests longer.
                let upload = try #require(result["upload_mbps"] as? Double)
                #expect(abs(upload - uploaded * 8 / 10 / 1e6) < 0.01, "\(result)")
                #expect(try #require(result["download_bytes"] as? Double) >= 4 * 10_485_760, "\(result)")
            }
            #expect((uploaded...uploaded + failed * 10_485_760).contains(received) && received > 20_000_000)
        }
    }
}
