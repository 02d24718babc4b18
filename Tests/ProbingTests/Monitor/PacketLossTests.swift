import FoundationEssentials
import Statistics
import Testing

@testable import Probing

struct PacketLossTests {
    private static let now = OutcomeWindow.Instant.now

    private static func loss(
        _ outcomes: [[Int?]],
        every interval: Duration = .seconds(10),
        probe: any Probe = ICMPProbe()
    )
        -> Double?
    {
        let reports = outcomes.enumerated().map { index, outcomes in
            probed(.make("t\(index)", probe), outcomes, every: interval, upTo: now)
        }
        return NetworkLatency.packetLoss(reports, at: now)
    }

    @Test func `Loss is that of the last 100 packets, and needs 60`() {
        #expect(Self.loss([[nil].times(50) + [nil].times(10) + [5].times(90)]) == 0.1)
        #expect(Self.loss([[nil].times(6) + [5].times(54)]) == 0.1)
        #expect(Self.loss([[nil].times(6) + [5].times(53)]) == nil)
    }

    @Test func `packets older than thirty minutes do not count`() {
        #expect(Self.loss([[nil].times(24) + [5].times(76)], every: .seconds(24)) == 0)
        #expect(Self.loss([[nil].times(40) + [5].times(60)], every: .seconds(31)) == nil)
    }

    @Test func `Of several targets the median counts, and a target that is down does not`() {
        let (none, some, many): ([Int?], [Int?], [Int?]) = (
            [5].times(100), [nil, 5, 5, 5].times(25), [nil, 5].times(50)
        )
        #expect(Self.loss([none, some, many]) == 0.25)
        #expect(Self.loss([none, some]) == 0.125)
        #expect(Self.loss([some, [5].times(90) + [nil].times(10)]) == 0.25)
        #expect(Self.loss([[5].times(91) + [nil].times(9)]) == 0.09)
        #expect(Self.loss([[nil].times(100)]) == nil)
    }

    @Test(arguments: [
        (ICMPProbe() as any Probe, true), (TCPProbe(), true), (DNSProbe(query: "a.test"), false), (HTTPProbe(), false),
        (GraphQLProbe(query: "{a}"), false),
    ])
    func `only the probes that measure packets lose some`(probe: any Probe, counts: Bool) {
        #expect(Self.loss([[nil, 5].times(50)], probe: probe) == (counts ? 0.5 : nil))
    }

    @Test func `where ICMP is measured its loss is the network's, and is not averaged with that of TCP`() {
        func report(_ name: String, _ probe: any Probe, _ outcomes: [Int?]) -> TargetReport {
            probed(.make(name, probe), outcomes, upTo: Self.now)
        }
        let half = report("tcp", TCPProbe(), [nil, 5].times(50))
        func loss(_ icmp: [Int?]) -> Double? {
            NetworkLatency.packetLoss([half, report("icmp", ICMPProbe(), icmp)], at: Self.now)
        }
        #expect(loss([nil, 5, 5, 5].times(25)) == 0.25)
        #expect(loss([5].times(100)) == 0)
        #expect(loss([5].times(59)) == 0.5, "too few")
        #expect(loss([nil].times(100)) == 0.5, "its target is down, or ICMP is blocked")
    }

    @Test func `Connections of internet checks are no packets`() {
        var internet = InternetStatistics()
        for second in 0..<100 {
            internet.add(
                .connect(second.isMultiple(of: 2) ? nil : 5),
                date: .now,
                at: Self.now - .seconds(100 - second)
            )
        }
        let latency = LatencySources(internet: internet).latency(at: Self.now)
        #expect(latency?.latency == .milliseconds(5) && latency?.lossRatio == nil)
    }

    @Test func `A short outage shows in the loss for 100 packets, not longer`() {
        let outage: [Int?] = [5].times(100) + [nil].times(8)
        #expect(Self.loss([outage + [5].times(92)]) == 0.08)
        #expect(Self.loss([outage + [5].times(100)]) == 0)
        #expect(Self.loss([outage + [5].times(59)], every: .seconds(30)) == 2.0 / 61, "six of eight are too old")
    }
}
