import FoundationEssentials
import Statistics
import Testing

@testable import Probing

/// The decisions of the monitor, with the times handed in.
struct TargetTableTests {
    /// Lets the only target's turn at that second end with this result.
    @discardableResult
    private static func turn(_ table: inout TargetTable, at second: Int, _ result: ProbeResult) throws
        -> TargetStatistics.Change?
    {
        let runs = table.start(at: .seconds(second))
        return table.finish(try #require(runs.first), result, startDelay: .zero, date: .now, at: .now)
    }

    @Test func `Counts ended probes and reports when a target goes up or down`() throws {
        var table = TargetTable.make([.make("a")])
        #expect(table.reports[0].statistics.isUp == nil)
        var up = ProbeResult.success(9, rtt: 3)
        (up.sentBytes, up.receivedBytes) = (64, 60)
        let changes = try [
            Self.turn(&table, at: 0, up),
            Self.turn(&table, at: 1, up),
            Self.turn(&table, at: 2, ProbeResult(failure: .timeout)),
            Self.turn(&table, at: 3, ProbeResult(failure: .refused)),
            Self.turn(&table, at: 4, up),
        ]
        #expect(changes == [.upOrDown, nil, .upOrDown, nil, .upOrDown])
        let statistics = table.reports[0].statistics
        #expect(statistics.probes == 5)
        #expect(statistics.failures == [.timeout: 1, .refused: 1])
        #expect(table.traffic == ByteCounts(received: 180, transmitted: 192))
        #expect(statistics.lastProbes.lossRatio == 0.4)
        #expect(statistics.lastProbes.median == .milliseconds(3))
        #expect(statistics.latencies.counts.reduce(0, +) == 3)
        #expect(statistics.isUp == true)
    }

    @Test func `The state of a target has the time from which it is so`() throws {
        var table = TargetTable.make([.make("a")])
        func end(_ second: Int, _ failure: ProbeFailure?) throws -> Double? {
            let run = try #require(table.start(at: .seconds(second)).first)
            let date = Date(timeIntervalSince1970: Double(second))
            let result = failure.map { ProbeResult(failure: $0) } ?? .success(9, rtt: 3)
            _ = table.finish(run, result, startDelay: .zero, date: date, at: .now)
            return table.reports[0].statistics.since?.timeIntervalSince1970
        }
        #expect(table.reports[0].statistics.since == nil)
        #expect(try [end(0, nil), end(1, nil), end(2, .timeout), end(3, .refused), end(4, nil)] == [0, 0, 2, 2, 4])
        // Unknown from the third failure of this machine on, and known again.
        let local = try (5...7).map { try end($0, .local) }
        #expect(local == [4, 4, 7] && table.reports[0].statistics.isUp == nil)
        #expect(try end(8, nil) == 8)
    }

    @Test func `A SYN that was sent again is a lost packet of a target that is up`() throws {
        var table = TargetTable.make([.make("a", TCPProbe())])
        var repeated = ProbeResult.success(1009, rtt: 9)
        repeated.isRepeated = true
        try Self.turn(&table, at: 0, .success(9, rtt: 9))
        try Self.turn(&table, at: 1, repeated)
        repeated.rtt = nil
        try Self.turn(&table, at: 2, repeated)
        let statistics = table.reports[0].statistics
        #expect(statistics.isUp == true && statistics.failures.isEmpty)
        #expect(statistics.lastProbes.list == [.milliseconds(9), nil, nil])
        // The round trip of a repeated packet may be unknown, and is not the time until the repetition was answered.
        #expect(statistics.latencies.counts.reduce(0, +) == 2)
        #expect(abs(statistics.latencies.sum - 0.018) < 1e-9)
    }

    @Test func `Where every answer takes more than the second after which a SYN is sent again, none is lost`() throws {
        var table = TargetTable.make([.make("a", TCPProbe())])
        var slow = ProbeResult.success(1200)
        slow.isRepeated = true
        for second in 0..<5 { try Self.turn(&table, at: second, slow) }
        #expect(table.reports[0].statistics.lastProbes.list == [.milliseconds(1200)].times(5))
        // The queue of the line fills for a while.
        try Self.turn(&table, at: 5, .success(20, rtt: 20))
        for second in 6..<30 { try Self.turn(&table, at: second, slow) }
        let outcomes = table.reports[0].statistics.lastProbes.list.dropFirst(6)
        #expect(outcomes.prefix(10).allSatisfy { $0 == nil } && outcomes.dropFirst(10).allSatisfy { $0 != nil })
    }

    @Test func `No target is probed before the path is known`() throws {
        var table = TargetTable()
        table.apply([.make("a")], onExpensive: .slow, at: .zero)
        table.restart(at: .zero)
        #expect(table.start(at: .seconds(5)).isEmpty)
        #expect(table.next == nil)

        let gateway = try #require(ProbeContext.Gateway("192.0.2.1"))
        table.change(ProbeContext(gateways: [gateway]), isNewUplink: false, at: .seconds(7))

        let runs = table.start(at: .seconds(7))
        #expect(runs.map(\.context.gateways) == [[gateway]])
        #expect(runs.map(\.due) == [.seconds(7)])
    }

    @Test func `A local failure is counted, is not a loss and keeps the previous state`() throws {
        var table = TargetTable.make([.make("a")])
        let local = ProbeResult(failure: .local, detail: "socket: Too many open files (errno 24)")
        let changes = try [
            Self.turn(&table, at: 0, .success(9, rtt: 3)),
            Self.turn(&table, at: 1, local),
            Self.turn(&table, at: 2, local),
        ]
        #expect(changes == [.upOrDown, nil, nil])
        let statistics = table.reports[0].statistics
        #expect(statistics.probes == 3)
        #expect(statistics.failures == [.local: 2])
        #expect(statistics.lastProbes.lossRatio == 0 && statistics.window.count == 1)
        #expect(statistics.isUp == true)
        #expect(statistics.lastResult?.isSuccess == true)
    }

    @Test func `After three consecutive local failures the state of a target is unknown, which is a change`() throws {
        var table = TargetTable.make([.make("a")])
        let local = ProbeResult(failure: .local)
        #expect(try Self.turn(&table, at: 0, local) == nil)
        #expect(table.reports[0].statistics.isUp == nil)
        try Self.turn(&table, at: 1, ProbeResult(failure: .timeout))
        #expect(try (2...5).map { try Self.turn(&table, at: $0, local) } == [nil, nil, .known, nil])
        #expect(table.reports[0].statistics.isUp == nil)

        // Down as before, but that was not known meanwhile.
        #expect(try Self.turn(&table, at: 6, ProbeResult(failure: .timeout)) == .known)
        #expect(table.reports[0].statistics.isUp == false)
        for second in 7...9 { try Self.turn(&table, at: second, local) }
        #expect(try Self.turn(&table, at: 10, .success(1)) == .upOrDown)
    }

    @Test(arguments: [
        (ICMPProbe() as any Probe, 3), (TCPProbe(), 3), (DNSProbe(query: "a.test"), 9), (HTTPProbe(), 9),
        (GraphQLProbe(query: "{a}"), 9),
    ])
    func `latency is the round trip of packets, or the duration of an exchange`(
        probe: any Probe,
        milliseconds: Int
    ) throws {
        var table = TargetTable.make([.make("a", probe)])
        try Self.turn(&table, at: 0, .success(9, rtt: 3))
        let statistics = table.reports[0].statistics
        #expect(statistics.lastProbes.median == .milliseconds(milliseconds))
        #expect(statistics.latencies.sum == Duration.milliseconds(milliseconds).seconds)
        let bounds = milliseconds == 3 ? TargetStatistics.roundTripBounds : TargetStatistics.durationBounds
        #expect(statistics.latencies.bounds == bounds)
    }

    @Test func `The traffic of a removed target remains`() throws {
        var table = TargetTable.make([.make("a")])
        var result = ProbeResult.success(9, rtt: 3)
        (result.sentBytes, result.receivedBytes) = (64, 60)
        try Self.turn(&table, at: 0, result)
        table.apply([], onExpensive: .slow, at: .seconds(1))
        #expect(table.traffic == ByteCounts(received: 60, transmitted: 64))
    }

    @Test func `A late reply does not reduce the losses`() throws {
        var table = TargetTable.make([.make("a")])
        try Self.turn(&table, at: 0, ProbeResult(failure: .timeout))
        table.lateReply(of: "a")
        table.lateReply(of: "unknown")
        let statistics = table.reports[0].statistics
        #expect(statistics.lateReplies == 1)
        #expect(statistics.probes == 1)
        #expect(statistics.failures == [.timeout: 1])
        #expect(statistics.lastProbes.lossRatio == 1)
        #expect(statistics.isUp == false)
    }

    @Test func `a cancelled probe counts nothing and makes room for the next`() throws {
        var table = TargetTable.make([.make("a")])
        for second in 0..<20 {
            let runs = table.start(at: .seconds(second))
            table.abandon(try #require(runs.first))
        }
        #expect(table.reports[0].statistics == TargetStatistics(measuresRoundTrip: true))
    }

    @Test func `slow probes may overlap, up to a bound`() {
        var table = TargetTable.make([.make("a")])
        var runs = (0..<20).flatMap { table.start(at: .seconds($0)) }
        #expect(runs.count == TargetTable.maximumInFlight)
        _ = table.finish(runs.removeFirst(), ProbeResult(failure: .timeout), startDelay: .zero, date: .now, at: .now)
        #expect(table.start(at: .seconds(20)).count == 1)
        #expect(table.start(at: .seconds(21)).isEmpty)
    }

    @Test func `A slow probe that ends after a later one is counted but is not the last result`() throws {
        var table = TargetTable.make([.make("a")])
        let (early, late) = (table.start(at: .zero), table.start(at: .seconds(1)))
        let isUp = table.finish(try #require(late.first), .success(1), startDelay: .zero, date: .now, at: .now)
        let isDown = table.finish(
            try #require(early.first),
            ProbeResult(failure: .timeout),
            startDelay: .zero,
            date: .now,
            at: .now
        )
        #expect(isUp == .upOrDown && isDown == nil)
        #expect(table.reports[0].statistics.isUp == true)
        #expect(table.reports[0].statistics.probes == 2)
        #expect(table.reports[0].statistics.lastProbes.lossRatio == 0.5)
    }

    @Test func `On a new uplink the windows restart and the counters continue`() throws {
        var table = TargetTable.make([.make("a"), .make("b")])
        try Self.turn(&table, at: 0, .success(1, rtt: 500))
        let before = table.start(at: .seconds(1))
        table.change(ProbeContext(), isNewUplink: true, at: .seconds(1))
        #expect(table.reports[0].statistics.window.count == 0)
        #expect(table.reports[0].statistics.probes == 1)
        // A probe started on the old uplink is counted, but not for the new one.
        for run in before { _ = table.finish(run, .success(1, rtt: 500), startDelay: .zero, date: .now, at: .now) }
        #expect(table.reports.map(\.statistics.window.count) == [0, 0])
        #expect(table.reports.map(\.statistics.probes) == [2, 1])
        table.change(ProbeContext(isExpensive: true), isNewUplink: false, at: .seconds(2))
        for run in table.start(at: .seconds(30)) {
            _ = table.finish(run, .success(1, rtt: 2), startDelay: .zero, date: .now, at: .now)
        }
        table.change(ProbeContext(isExpensive: false), isNewUplink: false, at: .seconds(31))
        #expect(table.reports[0].statistics.lastProbes.median == .milliseconds(2))
    }

    @Test func `A start without a path waits for none, and replaces no path that was reported`() {
        var table = TargetTable()
        table.apply([.make("a")], onExpensive: .run, at: .zero)
        table.startWithoutPath(at: .zero)
        #expect(table.start(at: .zero).map(\.context) == [ProbeContext()])

        let path = ProbeContext(isConnected: false, isExpensive: true)
        table.change(path, isNewUplink: false, at: .zero)
        table.startWithoutPath(at: .milliseconds(1))
        #expect(table.start(at: .seconds(1)).map(\.context) == [path])
    }

    @Test func `Of two targets with the same name the first counts`() {
        let table = TargetTable.make([.make("a", address: "first"), .make("a", address: "second")])
        #expect(table.reports.map(\.target.address) == ["first"])
    }

    @Test(arguments: [
        ("web", ["web"]), ("example.com", ["ping", "plain"]), ("http://example.com", ["plain"]),
        ("http://example.com/", ["plain"]), ("https://example.com", ["again", "web"]),
        ("https://example.com/", ["web", "again"]),
        ("https://example.com/a", ["deep"]), ("https://example.com/a/", []), ("example.com/", ["plain"]),
        ("192.0.2.9:22", ["192.0.2.9:22", "shell"]), ("EXAMPLE.com", []), ("", []), ("://", []), ("/", []),
    ])
    func `A text means the target of that name, then those of that address, in the order of the configuration`(
        text: String,
        names: [String]
    ) {
        let table = TargetTable.make([
            .make("plain", HTTPProbe(), address: "http://example.com"),
            .make("ping", address: "example.com"), .make("web", HTTPProbe(), address: "https://example.com/"),
            .make("again", HTTPProbe(), address: "https://example.com"),
            .make("deep", HTTPProbe(), address: "https://example.com/a"),
            .make("192.0.2.9:22", address: "192.0.2.9"), .make("shell", TCPProbe(), address: "192.0.2.9:22"),
        ])
        #expect(table.reports(meantBy: text).map(\.target.name) == names)
    }

    @Test func `The start delay is recorded and never negative`() throws {
        var table = TargetTable.make([.make("a")])
        for (second, delay) in [20, -5].enumerated() {
            let runs = table.start(at: .seconds(second))
            _ = table.finish(
                try #require(runs.first),
                .success(1),
                startDelay: .milliseconds(delay),
                date: .now,
                at: .now
            )
        }
        #expect(table.startDelay.counts == [1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(table.startDelay.sum == 0.02)
    }
}
