import FoundationEssentials
import Statistics
import Testing

@testable import Probing

@Suite struct LatencyReaderTests {
    private var sources = LatencySources()
    private var reader = LatencyReader()
    private var now = OutcomeWindow.Instant.now

    private func report(_ name: String, _ probe: any Probe = ICMPProbe()) -> TargetReport {
        var target = Target(name: name, address: "192.0.2.1", probe: probe)
        target.countsForLatency = true
        return TargetReport(target)
    }

    /// One probe, in milliseconds; nil: it failed.
    private mutating func probe(_ index: Int, _ outcomes: Int?...) {
        for outcome in outcomes {
            var result = ProbeResult(failure: outcome == nil ? .timeout : nil)
            result.rtt = outcome.map { .milliseconds($0) }
            sources.targets[index].statistics.count(result, at: now)
        }
    }

    private mutating func read() -> LatencySamples? { reader.samples(of: sources, at: now) }

    private func probes(
        _ samples: [String: [Int?]],
        showsLoss: Bool = true,
        restarted: Set<String> = []
    ) -> LatencySamples {
        .probes(
            samples.mapValues { $0.map { $0.map { .milliseconds($0) } } },
            packets: showsLoss ? Set(samples.keys) : [],
            restarted: restarted
        )
    }

    @Test mutating func `each outcome is read once, losses too`() {
        sources.targets = [report("a"), report("b")]
        #expect(read() == nil)
        probe(0, 1, nil, 2)
        probe(1, 9, 8)
        #expect(read() == probes(["target a": [1, nil, 2], "target b": [9, 8]]))
        #expect(read() == probes(["target a": [], "target b": []]))
        probe(0, 3)
        #expect(read() == probes(["target a": [3], "target b": []]))
        for number in 0..<60 { probe(0, number) }
        #expect(read() == probes(["target a": Array(0..<60), "target b": []]), "after the ring came round")
    }

    @Test mutating func `Losses of an outage are not read, though it is confirmed after them`() {
        sources.targets = [report("a")]
        probe(0, 1, 2)
        let since = SuspendingClock.now
        for second in 1...4 {
            sources.targets[0].statistics.count(ProbeResult(failure: .timeout), at: now + .seconds(2 * second))
        }
        #expect(reader.samples(of: sources, at: now + .seconds(1)) == probes(["target a": [1, 2]]))
        // Confirmed after 9 s, with the first evidence 2 s after the last answer.
        let outage = OutagePeriod(since: since, isBeyondRouter: true)
        sources.targets[0].statistics.leaveOut(outage, at: now + .seconds(9), awake: since + .seconds(7))
        #expect(reader.samples(of: sources, at: now + .seconds(15)) == probes(["target a": []]))
    }

    @Test mutating func `A target that never answered does not count, nor do its losses later`() {
        sources.targets = [report("a"), report("b")]
        probe(0, 1)
        probe(1, nil, nil)
        #expect(read() == probes(["target a": [1]]))
        probe(1, 5)
        #expect(read() == probes(["target a": [], "target b": [5]]))
    }

    @Test(arguments: [[7], [7, 8, 9, 10]])
    mutating func `a window of another uplink is read from its beginning, however long it is`(values: [Int]) {
        sources.targets = [report("a")]
        probe(0, 1, 2, 3)
        _ = read()
        sources.targets[0].statistics.restartWindow()
        now += .seconds(1)
        for value in values { probe(0, value) }
        #expect(read() == probes(["target a": values], restarted: ["target a"]))
        probe(0, 8)
        #expect(read() == probes(["target a": [8]]))
    }

    @Test mutating func `Live flows are read once, and only if there is no other source`() {
        sources.passive.add([], median: .milliseconds(4), at: now)
        #expect(read() == .flows(median: .milliseconds(4)))
        #expect(read() == nil, "the same dump")
        now += .seconds(20)
        sources.passive.add([], median: .milliseconds(5), at: now)
        sources.targets = [report("a")]
        probe(0, 1)
        #expect(read() == .flows(median: .milliseconds(5)), "a single answer does not replace what is measured often")
        now += .seconds(1)
        probe(0, 2)
        #expect(read() == probes(["target a": [2]]))
    }

    @Test mutating func `Only packets to targets show loss`() {
        var internet = InternetStatistics()
        for outcome in [7, nil] { internet.add(.connect(outcome), date: .now, at: now) }
        sources.internet = internet
        #expect(read() == probes(["internet ipv4": [7, nil]], showsLoss: false))
        sources.targets = [report("web", HTTPProbe())]
        for result in [ProbeResult.success(9), ProbeResult(failure: .timeout)] {
            sources.targets[0].statistics.count(result, at: now)
        }
        #expect(read() == probes(["target web": [9, nil]], showsLoss: false))
    }

    @Test mutating func `Where ICMP counts only its failures are lost packets`() {
        sources.targets = [report("a"), report("b", TCPProbe())]
        probe(0, 1, nil)
        probe(1, 9, nil, nil)
        guard case .probes(let outcomes, let packets, _) = read() else {
            Issue.record("no samples")
            return
        }
        #expect(outcomes.count == 2 && packets == ["target a"])
    }
}
