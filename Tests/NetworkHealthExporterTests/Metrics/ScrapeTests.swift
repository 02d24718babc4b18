import Coordination
import MicroHTTP
import PrometheusExposition
import Testing

@testable import NetworkHealthExporter

struct ScrapeTests {
    private struct Failed: Error {}

    private static func gauge(_ name: String, _ value: Int) -> MetricFamily {
        .gauge(name, help: "Help.", value: value)
    }

    private static let scrape = Scrape(collectors: [
        Collector("first") { [gauge("a", 1)] }, Collector("bad") { throw Failed() },
        Collector("last", of: { 2 }, { [gauge("b", $0), gauge("c", 3)] }),
    ])

    private func lines(_ exposition: [UInt8]) -> [String] {
        String(decoding: exposition, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func text(_ scrape: Scrape, _ format: ExpositionFormat) -> [UInt8] {
        scrape.exposition(as: format).flatMap(\.bytes)
    }

    /// The lines of the samples, without those of the durations.
    private func samples(_ lines: [String]) -> [String] {
        lines.filter { !$0.hasPrefix("#") && !$0.contains("collector_duration") }
    }

    private func expectReport(_ lines: [String]) {
        // By pace: what changes in each scrape is last.
        #expect(
            samples(lines) == [
                "b 2", "c 3",
                #"network_health_exporter_collector_success{collector="last"} 1"#,
                #"network_health_exporter_collector_success{collector="first"} 1"#,
                #"network_health_exporter_collector_success{collector="bad"} 0"#,
                "a 1",
            ]
        )
        let durations = lines.filter { $0.hasPrefix("network_health_exporter_collector_duration_seconds{") }
        #expect(durations.count == 3)
        #expect(durations.allSatisfy { $0.split(separator: " ").last.flatMap { Double($0) } ?? -1 >= 0 })
    }

    @Test func `a collector that fails is reported and does not fail the others`() {
        expectReport(printed(Self.scrape.families()))
        expectReport(lines(text(Self.scrape, .text)))
    }

    @Test(arguments: ExpositionFormat.allCases)
    func `the joined parts are what the values print, with one end`(format: ExpositionFormat) {
        let lines = lines(text(Self.scrape, format))
        expectReport(lines)
        #expect(lines.filter { $0 == "# EOF" }.count == (format == .openMetrics ? 1 : 0))
        #expect((lines.last == "# EOF") == (format == .openMetrics))
    }

    @Test func `is encoded again when its facts have changed, for each format`() throws {
        let facts = Locked(1)
        let printings = Locked(0)
        let read: @Sendable () -> Int = { facts.withLock { $0 } }
        let collector = Collector("test", of: read) { fact in
            printings.withLock { $0 += 1 }
            return [.counter("b_total", help: "B.", value: UInt64(fact))]
        }
        #expect(try collector.newText(.text) != nil)
        #expect(try collector.newText(.text) == nil)
        #expect(printings.withLock { $0 } == 1)
        #expect(try lines(#require(try collector.newText(.openMetrics))).contains("# TYPE b counter"))
        #expect(try collector.newText(.text) == nil)
        #expect(printings.withLock { $0 } == 2)
        facts.withLock { $0 = 2 }
        #expect(try lines(#require(try collector.newText(.text))).last == "b_total 2")
        #expect(try lines(#require(try collector.newText(.openMetrics))).last == "b_total 2")
        #expect(printings.withLock { $0 } == 4)
    }

    @Test func `facts that cannot be read fail the collector, even after a success, and are printed after the failure`()
        throws
    {
        let fails = Locked(false)
        let read: @Sendable () throws -> Int = {
            if fails.withLock({ $0 }) { throw Failed() }
            return 1
        }
        let scrape = Scrape(collectors: [
            Collector("test", of: read) { [Self.gauge("a", $0)] }
        ])
        let success = #"network_health_exporter_collector_success{collector="test"}"#
        #expect(samples(lines(text(scrape, .text))) == ["a 1", "\(success) 1"])
        fails.withLock { $0 = true }
        #expect(samples(lines(text(scrape, .text))) == ["\(success) 0"])
        fails.withLock { $0 = false }
        #expect(samples(lines(text(scrape, .text))) == ["a 1", "\(success) 1"])
    }

    @Test func `a part without a change is that of the last scrape`() {
        let (steady, moving) = (Locked(1), Locked(1))
        let scrape = Scrape(collectors: [
            Collector("steady", of: { steady.read { $0 } }, { [Self.gauge("a", $0)] }),
            Collector(
                "moving",
                .moving,
                of: { moving.read { $0 } },
                { [Self.gauge("b", $0)] }
            ),
        ])
        let first = scrape.exposition(as: .text)
        moving.withLock { $0 = 2 }
        let second = scrape.exposition(as: .text)
        #expect(first[0] === second[0] && first[1] !== second[1])
        #expect(lines(second[1].bytes).contains("b 2"))
    }

    @Test func `the durations are printed with what changes often, not in each scrape`() {
        let scrape = Scrape(collectors: [Collector("test", of: { 1 }, { [Self.gauge("a", $0)] })])
        let parts = scrape.exposition(as: .text).map { lines($0.bytes).filter { $0.contains("duration_seconds{") } }
        #expect(parts.map(\.count) == [0, 1, 0])
    }

    @Test func `a duration is that of the collector's own work`() throws {
        let collectors = ["first", "second"].map { Collector($0) { [] } }
        var report = ScrapeReport(count: 2)
        for duration in [Duration.milliseconds(2), .zero] {
            _ = report.time {
                let end = ContinuousClock.now + duration
                while ContinuousClock.now < end {}
            }
        }
        let line = "network_health_exporter_collector_duration_seconds{collector=\"first\"} "
        let printed = try #require(printed([report.durations(of: collectors)]).first { $0.hasPrefix(line) })
        #expect(try #require(Double(printed.dropFirst(line.count))) >= 0.002)
    }

    @Test func `kept text is the text without keeping, after any sequence of changes`() {
        let values = Locked([Int?](repeating: 0, count: 6))
        @Sendable func families(_ index: Int, _ value: Int?) -> [MetricFamily] {
            [.gauge("m_\(index)", help: "M.", value: value)]
                + (0..<max(0, value ?? 0) / 30).map { Self.gauge("n_\(index)_\($0)", 1) }
        }
        func collectors() -> [Collector] {
            (0..<6).map { index in
                Collector(
                    "c\(index)",
                    index % 2 == 0 ? .steady : .moving,
                    of: {
                        let value = values.read { $0[index] }
                        guard value != 99 else { throw Failed() }
                        return value
                    },
                    { families(index, $0) }
                )
            }
        }
        let kept = Scrape(collectors: collectors())
        for _ in 0..<300 {
            for _ in 0..<Int.random(in: 0...3) {
                values.withLock { $0[Int.random(in: 0..<6)] = [nil, 99, .random(in: 0...90)].randomElement() ?? nil }
            }
            let format = ExpositionFormat.allCases.randomElement() ?? .text
            #expect(
                samples(lines(text(kept, format))) == samples(lines(text(Scrape(collectors: collectors()), format)))
            )
        }
    }
}
