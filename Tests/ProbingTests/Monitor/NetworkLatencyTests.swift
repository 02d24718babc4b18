import FoundationEssentials
import Posix
import Statistics
import Testing

@testable import Probing

struct NetworkLatencyTests {
    private static let now = OutcomeWindow.Instant.now

    private static func report(
        _ target: Target,
        _ outcomes: [Int?],
        from address: String = "9.9.9.9",
        every interval: Duration = .seconds(1),
        ago: Duration = .zero
    ) -> TargetReport {
        probed(target, outcomes, from: address, every: interval, upTo: now - ago)
    }

    private static func latency(
        _ targets: [TargetReport],
        connects: [Int?] = [],
        flows: [Int] = [],
        flowsAgo: Duration = .zero
    ) -> NetworkLatency? {
        var sources = LatencySources(targets: targets)
        var internet = InternetStatistics()
        for (index, outcome) in connects.enumerated() {
            let ago = Duration.seconds(30) * (connects.count - 1 - index)
            internet.add(.connect(outcome), date: .now, at: now - ago)
        }
        sources.internet = internet
        for (index, flow) in flows.enumerated() {
            let ago = flowsAgo + .seconds(20) * (flows.count - 1 - index)
            sources.passive.add([.milliseconds(flow)], median: .milliseconds(flow), at: now - ago)
        }
        return sources.latency(at: now)
    }

    @Test func `Without probes the latency is unknown`() {
        #expect(Self.latency([]) == nil)
        #expect(Self.latency([Self.report(.make("a"), [])]) == nil)
        #expect(Self.latency([Self.report(.make("a"), [nil, nil])]) == nil)
    }

    @Test func `The age of the latency is that of its newest value`() {
        let reports = [
            Self.report(.make("a"), [10, 12], ago: .seconds(90)),
            Self.report(.make("b"), [20, nil], ago: .seconds(95)),
        ]
        #expect(LatencySources(targets: reports).age(at: Self.now) == .seconds(90))
        #expect(LatencySources().age(at: Self.now) == nil)
        // How old the host's is, is not known.
        let host = NetworkLatency(latency: .milliseconds(5))
        #expect(LatencySources(host: host).age(at: Self.now) == nil)
    }

    @Test func `The latency is the median over the targets that count`() {
        let latency = Self.latency([
            Self.report(.make("router", address: "_gateway"), [1, 1, 1]), Self.report(.make("a"), [10, 12]),
            Self.report(.make("b"), [20, 24]), Self.report(.make("c"), [200, nil, 300, nil]),
        ])
        #expect(latency == NetworkLatency(latency: .milliseconds(22)))
    }

    @Test(arguments: [
        ("192.168.1.9", Bool?.none, false), ("fe80::1", nil, false), ("fd00::1", nil, false),
        ("100.64.0.1", nil, false),
        ("9.9.9.9", nil, true), ("2620:fe::9", nil, true), ("192.168.1.9", true, true), ("9.9.9.9", false, false),
    ])
    func `A target counts with a global address, or as it is configured`(
        address: String,
        configured: Bool?,
        counts: Bool
    ) {
        var target = Target.make("nas")
        target.countsForLatency = configured
        let report = Self.report(target, [nil].times(30) + [3].times(70), from: address)
        let expected = counts ? NetworkLatency(latency: .milliseconds(3), jitter: .zero, lossRatio: 0.3) : nil
        #expect(Self.latency([report]) == expected)
    }

    @Test func `The router never counts, whatever is configured`() {
        var target = Target.make("router", address: "_gateway")
        target.countsForLatency = true
        #expect(Self.latency([Self.report(target, [1].times(100))]) == nil)
    }

    @Test func `Targets go before connections, connections before flows, and packets before exchanges`() {
        let ping = Self.report(.make("a"), [10, 10])
        let web = Self.report(.make("web", HTTPProbe()), [300, 340])
        #expect(Self.latency([web, ping], connects: [20, 20], flows: [30, 30])?.latency == .milliseconds(10))
        #expect(Self.latency([web], connects: [20, 20], flows: [30, 30])?.latency == .milliseconds(320))
        #expect(Self.latency([], connects: [20, 20], flows: [30, 30])?.latency == .milliseconds(20))
        #expect(Self.latency([], flows: [30, 30])?.latency == .milliseconds(30))
    }

    @Test func `A source that is measured seldom gives way to one that is measured often`() {
        let dead = Self.report(.make("dead"), [10].times(20) + [nil].times(16), every: .seconds(10))
        #expect(Self.latency([dead], connects: [20, 20], flows: [30, 30])?.latency == .milliseconds(20))
        #expect(Self.latency([dead], connects: [20], flows: [30, 30])?.latency == .milliseconds(30))
        #expect(Self.latency([dead], connects: [20], flows: [30])?.latency == .milliseconds(10))
        let silent = Self.report(.make("dead"), [10].times(20) + [nil].times(10), every: .seconds(10))
        #expect(Self.latency([silent], connects: [20, 20])?.latency == .milliseconds(10), "two minutes are not long")
        let slow = Self.report(.make("slow"), [10, 10], every: .seconds(100))
        #expect(Self.latency([slow], connects: [20, 20])?.latency == .milliseconds(10), "slowed on an expensive path")
    }

    @Test func `The window is five minutes long, also after a suspend`() {
        let target = Target.make("a")
        let minutes = Self.report(target, [100].times(40) + [20].times(30), every: .seconds(10))
        #expect(Self.latency([minutes])?.latency == .milliseconds(20))
        // The clock of the samples ran meanwhile: all but two are older than the window.
        var resumed = Self.report(target, [100].times(40), every: .seconds(10), ago: .seconds(20_000))
        resumed.statistics.count(.from("9.9.9.9", 20), at: Self.now - .seconds(10))
        #expect(Self.latency([resumed])?.latency == .milliseconds(20))
    }

    @Test func `With fewer than three samples the newest three of fifteen minutes count, then none`() {
        let slow = Self.report(.make("a"), [1, 10, 30, 50], every: .seconds(280))
        #expect(Self.latency([slow])?.latency == .milliseconds(30))
        let old = Self.report(.make("a"), [10, 10, 10], ago: .seconds(899))
        #expect(Self.latency([old]) == NetworkLatency(latency: .milliseconds(10)))
        #expect(Self.latency([Self.report(.make("a"), [10], ago: .seconds(901))]) == nil)
        #expect(Self.latency([], flows: [10], flowsAgo: .seconds(899))?.latency == .milliseconds(10))
        #expect(Self.latency([], flows: [10], flowsAgo: .seconds(901)) == nil)
    }

    @Test func `Jitter needs ten samples in five minutes, and is the median of the targets`() {
        let ten = [10, nil, 12].times(5)
        #expect(Self.latency([Self.report(.make("a"), ten)])?.jitter == .milliseconds(2))
        #expect(Self.latency([Self.report(.make("a"), [10, nil, 12].times(4) + [10])])?.jitter == nil)
        #expect(Self.latency([Self.report(.make("a"), ten, every: .seconds(60))])?.jitter == nil)
        #expect(Self.latency([], connects: [10, 12].times(5))?.jitter == .milliseconds(2))
        #expect(Self.latency([], flows: [10, 12].times(9))?.jitter == nil)
        let targets = ([[10, 10], [10, 30], [10, 12]] as [[Int?]]).enumerated().map { index, outcomes in
            Self.report(.make("t\(index)"), outcomes.times(6))
        }
        #expect(Self.latency(targets)?.jitter == .milliseconds(2))
    }

    @Test func `The host's latency goes before all but targets that are probed often, and its loss before none`() {
        let host = NetworkLatency(latency: .milliseconds(20), jitter: .milliseconds(3), lossRatio: 0.1)
        func latency(_ targets: [TargetReport], _ host: NetworkLatency?) -> NetworkLatency? {
            var sources = LatencySources(targets: targets, host: host)
            sources.passive.add([.milliseconds(30)], median: .milliseconds(30), at: Self.now)
            return sources.latency(at: Self.now)
        }
        #expect(latency([], host) == host)
        #expect(latency([], nil)?.latency == .milliseconds(30))
        #expect(latency([], NetworkLatency(lossRatio: 0.1)) == .init(latency: .milliseconds(30), lossRatio: 0.1))
        let often = Self.report(.make("a"), [10].times(60))
        #expect(latency([often], host) == .init(latency: .milliseconds(10), jitter: .zero, lossRatio: 0))
        let few = Self.report(.make("a"), [10].times(20))
        #expect(latency([few], host) == .init(latency: .milliseconds(10), jitter: .zero, lossRatio: 0.1))
        let rarely = Self.report(.make("a"), [10, 10], every: .seconds(600))
        #expect(latency([rarely], host) == host)
    }

    @Test func `Windows restart with another uplink`() {
        var sources = LatencySources(targets: [Self.report(.make("a"), [10].times(100))])
        sources.passive.add([.milliseconds(30)], median: .milliseconds(30), at: Self.now)
        sources.targets[0].statistics.restartWindow()
        #expect(sources.latency(at: Self.now) == NetworkLatency(latency: .milliseconds(30)))
        sources.passive.restartWindow()
        #expect(sources.latency(at: Self.now) == nil)
    }
}

extension InternetSample {
    /// A connection to the first host, nil for one that failed.
    static func connect(_ milliseconds: Int?, over family: AddressFamily = .ipv4) -> InternetSample {
        var sample = InternetSample("google", family, ProbeResult(failure: milliseconds == nil ? .timeout : nil))
        sample.connecting = milliseconds.map { .took(.milliseconds($0)) } ?? .failed
        return sample
    }
}

extension ProbeResult {
    /// A round trip to an address.
    static func from(_ address: String, _ milliseconds: Int) -> ProbeResult {
        var result = ProbeResult.success(milliseconds, rtt: milliseconds)
        result.address = IPAddress(address)
        return result
    }
}
