import Foundation
import Testing

extension EndToEndTests.Faults {
    private static let delivered = "network_health_queue_delivered_total"
    private static let clockConfiguration =
        ExporterProcess.quiet + """
            offline_queue: { enabled: true, allowed_hosts: [{ host: 198.18.0.1, schemes: [http], ports: [8080] }] }
            targets:
              - { name: ping, module: icmp, address: 198.18.0.1, interval: 200ms }
            speedtest:
              servers: [{ name: none, protocol: speedlab, url: "http://198.18.0.1:81" }]
              initial_delay: 1h

            """

    private func post(_ exporter: ExporterProcess, key: String) async throws -> Int {
        try await exporter.request(
            "/api/v1/requests",
            method: "POST",
            headers: ["Content-Type: application/json"],
            body: #"{"url":"http://198.18.0.1:8080/","idempotencyKey":"\#(key)"}"#
        ).status
    }

    /// Sets the clock, and waits until the exporter has it.
    private func set(_ clock: SetClock, days: Int, _ exporter: ExporterProcess) async throws {
        let time = #"network_health_target_last_probe_timestamp_seconds{target="ping"}"#
        let start = try #require(try await exporter.numbers()["process_start_time_seconds"])
        try clock.set(days: days)
        try await poll("a probe on the day \(days)") {
            let ahead = (try await exporter.numbers()[time] ?? 0) - start - Double(days) * 86_400
            return (0..<600).contains(ahead) ? true : nil
        }
    }

    private func rows(_ kind: String, _ exporter: ExporterProcess) async throws -> [[String: Any]] {
        let text = try await exporter.request("/api/v1/history?kind=\(kind)&since=365d").body
        return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    }

    /// Pulls the cable and plugs it in again.
    private func blink(_ router: Namespace, _ exporter: ExporterProcess) async throws {
        try await router.ip("link set eth0 down")
        try await exporter.wait(for: Self.connected, "0")
        try await router.ip("link set eth0 up")
        try await exporter.wait(for: Self.connected, "1")
    }

    @Test func `a clock that jumps by 100 days and back moves time stamps only, and nothing is removed`() async throws {
        let clock = try await SetClock()
        let folder = try TemporaryFolder()
        let flags = ["--storage.path=\(folder.path)/exporter.db", "--web.enable-admin-api"]
        try await withCable { host, router in
            try await router.ip("address add 198.18.0.1/24 dev eth0")
            let receiver = try await Receiver("198.18.0.1:8080", in: router)
            try await withExporter(
                flags,
                configuration: Self.clockConfiguration,
                in: host,
                wrapper: clock.wrapper
            ) { exporter in
                try await exporter.wait(for: Self.connected, "1")
                #expect(try await exporter.startSpeedTest() == 202)
                let test = try await poll("the speed test") { try await exporter.lastSpeedTest() }
                #expect(try await post(exporter, key: "delivered") == 202)
                // Not by what has arrived: the answer to it may be on its way.
                try await exporter.wait(for: Self.delivered, "1")
                try await blink(router, exporter)
                // A row is there some time after the metric.
                let transitions = try await poll("the rows of the return") {
                    let online = try await rows("transitions", exporter).map { $0["online"] as? Bool }
                    return online.last == true && online.contains(false) ? online.count : nil
                }
                let before = try await exporter.numbers()

                for (jump, days) in [100, -100, 0].enumerated() {
                    try await set(clock, days: days, exporter)
                    try await blink(router, exporter)
                    #expect(try await post(exporter, key: "on the day \(days)") == 202)
                    try await exporter.wait(for: Self.delivered, "\(jump + 2)")
                    #expect(try await post(exporter, key: "delivered") == 200, "its key is known")
                }

                let after = try await exporter.numbers()
                for (name, value) in after where !name.contains("timestamp") && !name.contains("bytes") {
                    #expect(value - (before[name] ?? 0) < 86_400, "\(name)")
                }
                #expect(after[Self.linkOutages] == 4)
                let duration = try #require(after[#"network_health_offline_seconds_total{cause="link"}"#])
                #expect(duration > 0 && duration < 120)
                #expect(after[Self.delivered] == 4 && receiver.count >= 4)
                #expect(after["network_health_queue_pending_requests"] == 0)
                let later = try await poll("the rows of three returns") {
                    let count = try await rows("transitions", exporter).count
                    return count >= transitions + 6 ? count : nil
                }
                #expect(later == transitions + 6)
                // By the clock that was ahead another one was due.
                let tests = try await rows("speedtests", exporter).map { $0["startedAt"] as? String }
                #expect(tests.contains(test.startedAt))
            }
            try await receiver.stop()
        }
    }
}
