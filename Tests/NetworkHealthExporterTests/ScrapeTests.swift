import Locking
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

    private func expectReport(_ lines: [String]) {
        let samples = lines.filter { !$0.hasPrefix("#") }
        #expect(Array(samples.prefix(3)) == ["a 1", "b 2", "c 3"])
        #expect(
            Array(samples.suffix(3)) == [
                #"network_health_exporter_collector_success{collector="first"} 1"#,
                #"network_health_exporter_collector_success{collector="bad"} 0"#,
                #"network_health_exporter_collector_success{collector="last"} 1"#,
            ]
        )
        let durations = samples.filter { $0.hasPrefix("network_health_exporter_collector_duration_seconds{") }
        #expect(durations.count == 3)
        #expect(durations.allSatisfy { $0.split(separator: " ").last.flatMap { Double($0) } ?? -1 >= 0 })
    }

    @Test func `a collector that fails is reported and does not fail the others`() {
        expectReport(printed(Self.scrape.families()))
        expectReport(lines(Self.scrape.exposition(as: .text)))
    }

    @Test(arguments: ExpositionFormat.allCases)
    func `the joined parts are what the values print, with one end`(format: ExpositionFormat) {
        let lines = lines(Self.scrape.exposition(as: format))
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
        let first = try collector.part(.text)
        #expect(try collector.part(.text) == first)
        #expect(printings.withLock { $0 } == 1)
        #expect(try lines(collector.part(.openMetrics)).contains("# TYPE b counter"))
        #expect(try collector.part(.text) == first)
        #expect(printings.withLock { $0 } == 2)
        facts.withLock { $0 = 2 }
        #expect(try lines(collector.part(.text)).last == "b_total 2")
        #expect(try lines(collector.part(.openMetrics)).last == "b_total 2")
        #expect(printings.withLock { $0 } == 4)
    }

    @Test func `facts that cannot be read fail the collector, even after a success`() throws {
        let fails = Locked(false)
        let read: @Sendable () throws -> Int = {
            if fails.withLock({ $0 }) { throw Failed() }
            return 1
        }
        let collector = Collector("test", of: read) { [Self.gauge("a", $0)] }
        _ = try collector.part(.text)
        fails.withLock { $0 = true }
        #expect(throws: Failed.self) { try collector.part(.text) }
    }
}
