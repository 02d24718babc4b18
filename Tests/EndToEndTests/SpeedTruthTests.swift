import Testing

extension EndToEndTimingTests {
    /// The results of a speed test over a link with known rates, delay and buffer; `scripts/bench truth` has the
    /// whole table.
    @Suite(.timeLimit(.minutes(2))) struct SpeedTruth {
        private static let rate = 10_000_000
        /// Of the link; CUBIC keeps it filled.
        private static let buffer = 0.2

        @Test(arguments: [1, 20])
        func `a test reports the link's own rates, delay and buffer`(milliseconds: Int) async throws {
            let delay = Duration.microseconds(milliseconds * 500)
            try await withSpeedLab(delay: delay, up: Self.rate, down: Self.rate) { lab in
                let flags = ["--web.enable-admin-api"]
                let client = try await withExporter(
                    flags,
                    configuration: SpeedLab.configuration(),
                    in: lab.link.host
                ) { exporter in
                    try await exporter.waitUntilReady()
                    let result = try await exporter.makeSpeedTest()
                    return (result, samples: try await exporter.request("/metrics").samples)
                }
                let (result, samples) = client
                #expect(result.error == nil)
                let ping = try #require(result.ping)
                let truth = RelayedLink.Behaviour.goodput(at: Self.rate)
                let (download, upload) = (try #require(result.download), try #require(result.upload))
                for transfer in [download, upload] {
                    // On a machine whose processors are busy the result is a lower bound, and marked as one.
                    let error = transfer.bytesPerSecond / truth - 1
                    guard !transfer.limitedBy.contains("cpu") else {
                        #expect(error <= 0.03, "\(transfer)")
                        continue
                    }
                    #expect(abs(error) <= 0.03, "\(transfer)")
                    let increase = try #require(transfer.loadedLatencySeconds) - ping.latencySeconds
                    #expect(abs(increase / Self.buffer - 1) <= 0.25, "\(transfer)")
                }
                #expect(upload.bytesPerSecond <= 1.02 * truth, "\(upload)")
                #expect(
                    samples.keys.contains {
                        $0.hasPrefix("network_health_speedtest_server_info{")
                            && $0.contains(#"congestion_control="cubic""#)
                    }
                )
                // What it really held them for: its rate and delay, and what this machine's timers add. The rest is the work of
                // client and server: below 1 ms in the benchmark, and more where others have the cores.
                let held = try #require(try await lab.link.end().idleRoundTrip) / .seconds(1)
                #expect(abs(ping.latencySeconds - held) < 0.003, "\(ping), held for \(held)")
            }
        }
    }
}
