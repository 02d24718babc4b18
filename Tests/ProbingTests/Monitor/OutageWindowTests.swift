import FoundationEssentials
import Posix
import Statistics
import Testing

@testable import Probing

/// What is lost in an outage is not packet loss: the windows of a target over a script of outages.
struct OutageWindowTests {
    /// Targets that are probed once a second, with the times handed in by both clocks.
    private struct Line {
        private let start = OutcomeWindow.Instant.now
        private let awake = SuspendingClock.now
        private var table: TargetTable
        private(set) var second = 0

        init(_ names: [String] = ["t"]) {
            table = TargetTable.make(names.map { .make($0, ICMPProbe()) })
        }

        private var now: OutcomeWindow.Instant { start + .seconds(second) }

        /// Probes for some seconds; `answers`: by target and second, false for a loss.
        mutating func run(_ seconds: Int, from address: String = "9.9.9.9", _ answers: (Int) -> Bool = { _ in true }) {
            for number in 0..<seconds {
                for run in table.start(at: .seconds(second)) {
                    var result = answers(number) ? ProbeResult.success(20, rtt: 20) : ProbeResult(failure: .timeout)
                    result.address = IPAddress(address)
                    _ = table.finish(run, result, startDelay: .zero, date: .now, at: now)
                }
                second += 1
            }
        }

        /// The outage that began so many seconds ago is confirmed or has ended.
        mutating func outage(since begin: Int, end: Int? = nil, isBeyondRouter: Bool = true) {
            let outage = OutagePeriod(
                since: awake + .seconds(begin),
                end: end.map { awake + .seconds($0) },
                isBeyondRouter: isBeyondRouter
            )
            table.change(outage, at: now, awake: awake + .seconds(second))
        }

        var report: TargetReport { table.reports[0] }
        var networkLoss: Double? { NetworkLatency.packetLoss(table.reports, at: now) }
        var latency: NetworkLatency? { LatencySources(targets: table.reports).latency(at: now) }
    }

    @Test func `after an outage of 90 s no loss is shown, of the target or of the network`() throws {
        var line = Line()
        line.run(200)
        // The line is dead from 200 s on; a round notices it 20 s later, and it is confirmed after 8 more.
        line.run(28) { _ in false }
        line.outage(since: 220)
        #expect(line.report.statistics.lastProbes.lossRatio == 0)
        line.run(62) { _ in false }
        line.outage(since: 220, end: 290)
        #expect(line.report.statistics.lastProbes.count == 100, "the packets from before it count")
        #expect(line.networkLoss == 0)
        #expect(line.report.statistics.window.lossesInARow == 0)
        line.run(30)
        #expect(line.networkLoss == 0 && line.report.statistics.lastProbes.lossRatio == 0)
        #expect(line.latency?.jitter == .zero)
        #expect(line.report.statistics.probes == 320 && line.report.statistics.failures == [.timeout: 90])
    }

    @Test func `a flapping line shows the loss between its outages, and none of theirs`() {
        var line = Line()
        for _ in 0..<6 {
            // Every fifth packet is lost while the line works.
            line.run(40) { $0.isMultiple(of: 5) == false }
            let begin = line.second
            line.run(12) { _ in false }
            line.outage(since: begin + 2)
            line.run(20) { _ in false }
            line.outage(since: begin + 2, end: line.second)
        }
        #expect(line.report.statistics.lastProbes.lossRatio == 0.2)
        #expect(line.networkLoss == 0.2)
    }

    @Test func `the losses of a target that was down long before an outage stay`() {
        var line = Line()
        line.run(20)
        line.run(200) { _ in false }
        line.outage(since: 215)
        let lost = line.report.statistics.lastProbes
        #expect(lost.count == 100 && lost.lossRatio == 1)
    }

    @Test func `a loss that no outage explains stays a loss`() {
        var line = Line()
        line.run(80)
        line.run(10) { _ in false }
        line.run(10)
        line.outage(since: 95, end: 97)
        #expect(line.report.statistics.lastProbes.count == 97)
        #expect(line.report.statistics.lastProbes.list.count { $0 == nil } == 10)
    }

    @Test(arguments: [true, false])
    func `a host of the local network counts on while only the internet is lost`(isBeyondRouter: Bool) {
        var line = Line()
        line.run(50, from: "192.168.1.2")
        line.outage(since: 50, isBeyondRouter: isBeyondRouter)
        line.run(50, from: "192.168.1.2") { $0 >= 10 }
        #expect(line.report.statistics.lastProbes.lossRatio == (isBeyondRouter ? 0.1 : 0))
        #expect(line.report.statistics.lastProbes.count == (isBeyondRouter ? 100 : 50))
    }

    @Test func `a probe that started in an outage and ends after it is not in the window`() throws {
        var table = TargetTable.make([.make("t", ICMPProbe())])
        let (now, awake) = (OutcomeWindow.Instant.now, SuspendingClock.now)
        table.change(OutagePeriod(since: awake, isBeyondRouter: false), at: now, awake: awake)
        let run = try #require(table.start(at: .zero).first)
        table.change(OutagePeriod(since: awake, end: awake + .seconds(1), isBeyondRouter: false), at: now, awake: awake)
        _ = table.finish(run, ProbeResult(failure: .timeout), startDelay: .zero, date: .now, at: now + .seconds(2))
        #expect(table.reports[0].statistics.window.count == 0 && table.reports[0].statistics.probes == 1)
    }

    @Test func `connections and lookups of an outage are in no window`() {
        var internet = InternetStatistics()
        let (now, awake) = (OutcomeWindow.Instant.now, SuspendingClock.now)
        for second in 0..<3 { internet.add(.connect(20), date: .now, at: now + .seconds(second)) }
        internet.add(.connect(900), date: .now, at: now + .seconds(4))
        let outage = OutagePeriod(since: awake + .seconds(3), isBeyondRouter: true)
        internet.change(outage, at: now + .seconds(5), awake: awake + .seconds(5))
        internet.add(.connect(900), date: .now, at: now + .seconds(6))
        #expect(internet.connectTimes[.ipv4]?.newest().list == [20, 20, 20].map { .milliseconds($0) })
        internet.change(
            OutagePeriod(since: outage.since, end: awake + .seconds(7), isBeyondRouter: true),
            at: now + .seconds(7),
            awake: awake + .seconds(7)
        )
        internet.add(.connect(30), date: .now, at: now + .seconds(8))
        #expect(internet.connectTimes[.ipv4]?.newest().list.last == .milliseconds(30))
    }
}
