import Foundation
import Glibc
import Testing

extension EndToEndTests.Faults {
    private static let stopConfiguration =
        SpeedLab.configuration() + """
              initial_delay: 1h
            offline_queue: { enabled: true, allowed_hosts: [{ host: \(RelayedLink.far), schemes: [http], ports: [8080] }] }

            """

    @Test func `an address that changes in a speed test ends it as a timeout, and the next one uses the new address`()
        async throws
    {
        // The download goes on until the address has changed: the connections of the upload would have the new one.
        let more = "  initial_delay: 1h\n  min_gap: 0s\n  duration: { min: 20s }\n"
        let configuration = SpeedLab.configuration() + more
        try await withSpeedLab(delay: .milliseconds(5), up: 20_000_000, down: 20_000_000) { lab in
            let host = lab.link.host
            try await withExporter(["--web.enable-admin-api"], configuration: configuration, in: host) { exporter in
                try await exporter.waitUntilReady()
                // The router stays reachable throughout.
                try await lab.link.peer.ip("route add 198.18.9.9 dev lab0")
                try await host.ip("address add 198.18.9.9/32 dev lab0")
                try await host.ip("route add \(RelayedLink.far) dev lab0 src 198.18.9.9 metric 5")
                // More than the longest warm-up carries: connections that it adds would have the new address.
                try await exporter.makeSpeedTest(move: 11_000_000)
                try await host.ip("address delete \(RelayedLink.near) peer \(RelayedLink.far) dev lab0")
                try await exporter.wait(for: "network_health_speedtest_in_progress", "0", within: .seconds(30))
                let after = try await exporter.numbers()
                let failures = after.filter { $0.key.contains("speedtest_failures_total") && $0.value > 0 }
                #expect(failures == [#"network_health_speedtest_failures_total{reason="timeout"}"#: 1])
                #expect(after[Self.connected] == 1 && after[Self.linkOutages] == 0)
                let moved = try await exporter.speedTestSample("receive_bytes_total")
                #expect(try await exporter.startSpeedTest() == 202)
                try await poll("bytes of the next test") {
                    try await exporter.speedTestSample("receive_bytes_total") > moved + 500_000 ? true : nil
                }
            }
        }
    }

    @Test func `the time in which the process is stopped is a gap, and not monitored`() async throws {
        try await withNamespace { host in
            try await host.ip("link add eth0 type veth peer name peer0")
            try await host.ip("link set peer0 up")
            try await host.ip("address add 198.18.0.2/24 dev eth0")
            try await host.ip("link set eth0 up")
            try await host.ip("route add default via 198.18.0.1")
            try await withExporter(in: host) { exporter in
                try await exporter.waitUntilReady()
                func monitored() async throws -> Double {
                    let text = try await exporter.sample("network_health_monitored_seconds_total")
                    return try #require(text.flatMap { Double($0) })
                }
                let (before, begin) = (try await monitored(), ContinuousClock.now)
                exporter.program.signal(SIGSTOP)
                // It is the time itself that is tested: longer than a busy machine delays a process.
                try await Task.sleep(for: .seconds(7))
                exporter.program.signal(SIGCONT)
                let after = try await monitored()
                let length = begin.duration(to: .now) / .seconds(1)
                #expect(after - before < length - 5.5, "\(after - before) of \(length) s")
                let row = try await poll("the row of the gap") {
                    let table = try await exporter.request("/api/v1/history?kind=gaps&format=csv").body
                    return table.split(separator: "\r\n").dropFirst().first
                }
                let seconds = try #require(row.split(separator: ",").last.flatMap { Double($0) })
                // It ends where the process notices it, which a scrape may not wait for.
                let longest = begin.duration(to: .now) / .seconds(1)
                #expect(seconds > 5.5 && seconds <= longest, "\(row) of \(longest) s")
                #expect(try await exporter.sample(#"network_health_outages_total{cause="link"}"#) == "0")
            }
        }
    }

    @Test func `a kill loses about a second of the monitored time`() async throws {
        let folder = try TemporaryFolder()
        let flags = ["--storage.path=\(folder.path)/exporter.db"]
        try await withNamespace { host in
            func monitored(_ exporter: ExporterProcess) async throws -> Double {
                let text = try await exporter.sample("network_health_monitored_seconds_total")
                return try #require(text.flatMap { Double($0) })
            }
            let first = try await ExporterProcess(flags, in: host)
            try await first.waitUntilReady()
            // The history is written after 5 s, and not again before 15 s.
            var asked = ContinuousClock.now
            let before = try await poll("more than 10 s") {
                asked = .now
                let seconds = try await monitored(first)
                return seconds > 10 ? seconds : nil
            }
            first.program.signal(SIGKILL)
            _ = try await first.program.status()
            // It went on for as long.
            let more = asked.duration(to: .now) / .seconds(1)
            try await withExporter(flags, in: host) { exporter in
                try await exporter.waitUntilReady()
                let begin = ContinuousClock.now
                let own = try await monitored(exporter)
                let status = try await exporter.request("/api/v1/status").body
                let all = try #require(status.firstMatch(of: /"day":\{[^}]*"monitoredSeconds":([0-9.]+)/)?.1)
                // What came between the two readings is in the second one only.
                let between = begin.duration(to: .now) / .seconds(1)
                let kept = try #require(Double(all)) - own
                let most = before + more + between
                #expect(kept > before - 2.5 && kept < most, "\(kept) of \(before) to \(most) s")
            }
        }
    }

    @Test func `SIGTERM in a speed test and a delivery ends the process within 5 s, and nothing is lost`() async throws
    {
        let folder = try TemporaryFolder()
        let flags = ["--storage.path=\(folder.path)/exporter.db", "--web.enable-admin-api"]
        try await withSpeedLab(delay: .milliseconds(5), up: 20_000_000, down: 20_000_000) { lab in
            let (host, peer) = (lab.link.host, lab.link.peer)
            let script = "import socket,time;s=socket.create_server(('\(RelayedLink.far)',8080));"
            let silent = try Program(
                peer.prefix + [
                    "python3", "-c",
                    script + "print('ready',flush=True);c=s.accept();print(c[0].recv(999),flush=True);time.sleep(60)",
                ]
            )
            try await poll("the silent server") { silent.output.contains("ready") ? true : nil }
            let first = try await ExporterProcess(flags, configuration: Self.stopConfiguration, in: host)
            try await first.waitUntilReady()
            let answer = try await first.request(
                "/api/v1/requests",
                method: "POST",
                headers: ["Content-Type: application/json"],
                body: #"{"url":"http://\#(RelayedLink.far):8080/","body":"x"}"#
            )
            #expect(answer.status == 202, "\(answer.body)")
            try await poll("the delivery") { silent.output.contains("POST") ? true : nil }
            try await first.makeSpeedTest(move: 2_000_000)
            let moved = try await first.speedTestSample("receive_bytes_total")

            let began = ContinuousClock.now
            #expect(try await first.stop() == 0, "\(first.log)")
            #expect(began.duration(to: .now) < .seconds(5))
            silent.signal(SIGKILL)
            _ = try await silent.status()

            try await withExporter(flags, configuration: Self.stopConfiguration, in: host) { second in
                let last = try #require(try await second.lastSpeedTest())
                #expect(last.error?.contains("cancelled") == true, "\(last)")
                let remaining = try await second.speedTestSample(#"budget_remaining_bytes{period="day"}"#)
                #expect(remaining <= 4e9 - moved)
                let receiver = try await Receiver("\(RelayedLink.far):8080", in: peer)
                let received = try await receiver.wait(for: 1)
                #expect(received.map(\.body) == ["x"])
                try await second.wait(for: "network_health_queue_delivered_total", "1")
                try await receiver.stop()
            }
        }
    }
}
