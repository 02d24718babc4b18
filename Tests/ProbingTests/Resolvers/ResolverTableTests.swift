import Posix
import Statistics
import Testing

@testable import Probing

struct ResolverTableTests {
    private var table: ResolverTable
    private let start = ContinuousClock.now

    init() {
        var plan = ResolverPlan()
        plan.name = "example.org"
        table = ResolverTable(plan)
    }

    private func path(
        _ device: Int = 1,
        isSatisfied: Bool = true,
        isExpensive: Bool = false,
        isConstrained: Bool = false
    ) -> InternetPath {
        InternetPath(
            generation: 1,
            isSatisfied: isSatisfied,
            isExpensive: isExpensive,
            isConstrained: isConstrained,
            families: [.ipv4],
            interfaces: [device]
        )
    }

    private mutating func change(_ servers: [String], _ path: InternetPath? = nil, at seconds: Int = 0) {
        table.change(path ?? self.path(), servers: servers, at: .seconds(seconds))
    }

    /// Asks those that are due then; returns whom.
    @discardableResult
    private mutating func ask(
        at seconds: Int,
        _ outcome: (String) -> ResolverTable.Outcome = { _ in .answered(after: .milliseconds(20), isError: false) }
    ) -> [String] {
        let turns = table.start(at: .seconds(seconds))
        for turn in turns { table.finish(turn, outcome(turn.address), at: start.advanced(by: .seconds(seconds))) }
        return turns.map(\.address)
    }

    @Test mutating func `The first four servers are asked at once, each once, and then each five minutes`() {
        #expect(ask(at: 0) == [] && table.next == nil && table.reports.isEmpty)
        change(["192.0.2.1", "fe80::1%eth0", "192.0.2.1", "2001:db8::1", "192.0.2.2", "192.0.2.3"])
        let turns = table.start(at: .zero)
        #expect(turns.map(\.address) == ["192.0.2.1", "fe80::1%eth0", "2001:db8::1", "192.0.2.2"])
        #expect(turns.allSatisfy { $0.name == "example.org" } && turns[1].server.neededDevice == "eth0")
        #expect(table.start(at: .seconds(400)).isEmpty && table.next == nil, "one question at a time")
        for turn in turns { table.finish(turn, .answered(after: .milliseconds(20), isError: false), at: start) }
        #expect(table.next == .seconds(300))
        #expect(table.reports.map(\.isUp) == [true, true, true, true])
        #expect(table.reports.map(\.duration) == Array(repeating: .milliseconds(20), count: 4))
    }

    @Test mutating func `A server without an answer is asked again every five seconds, six times, then each minute`() {
        change(["192.0.2.1", "192.0.2.2"])
        var times: [Int] = []
        for second in 0...150
        where ask(at: second, { $0 == "192.0.2.1" ? .silent : .answered(after: .zero, isError: false) })
            .contains("192.0.2.1")
        {
            times.append(second)
        }
        #expect(times == [0, 5, 10, 15, 20, 25, 85, 145])
        let dead = table.reports[0]
        #expect(dead.isUp == false && dead.duration == nil && dead.window.lossesInARow == 8)
        #expect(table.reports[1].window.count == 1)
        #expect(ask(at: 205) == ["192.0.2.1"])
        #expect(table.reports[0].isUp == true && table.reports[0].window.lossesInARow == 0)
        #expect(table.next == .seconds(300), "the other one is next")
    }

    @Test mutating func `A slow answer is looked into as a missing one, and an error is an answer`() {
        change(["192.0.2.1"])
        ask(at: 0) { _ in .answered(after: .seconds(1), isError: true) }
        #expect(table.next == .seconds(5))
        let report = table.reports[0]
        #expect(report.isUp == false && report.duration == .seconds(1) && report.window.lossesInARow == 0)
        ask(at: 5) { _ in .answered(after: .milliseconds(999), isError: false) }
        #expect(table.next == .seconds(305))
        ask(at: 305) { _ in .unsent }
        #expect(table.reports[0].isUp == true && table.reports[0].window.count == 2, "that is not the server's")
    }

    @Test mutating func `Trouble asks at once and each minute, and a speed test not at all`() {
        change(["192.0.2.1"])
        ask(at: 0)
        table.change(.offline, at: .seconds(100))
        #expect(ask(at: 100) == ["192.0.2.1"] && table.next == .seconds(160))
        table.change(.speedTest, at: .seconds(161))
        #expect(table.next == nil && ask(at: 170) == [])
        table.change(.calm, at: .seconds(180))
        #expect(ask(at: 180) == ["192.0.2.1"] && table.next == .seconds(480))
        // Within five seconds of the last question there is none.
        table.change(.degraded(nil), at: .seconds(181))
        #expect(table.next == .seconds(185))
    }

    @Test mutating func `What a speed test delays or loses is not the server's`() {
        change(["192.0.2.1"])
        ask(at: 0)
        let turn = table.start(at: .seconds(300))[0]
        table.change(.speedTest, at: .seconds(301))
        table.finish(turn, .silent, at: start)
        #expect(table.reports[0].isUp == true && table.reports[0].window.lossesInARow == 0)
    }

    @Test mutating func `An expensive, constrained or lost path, and no name, ask nothing and show nothing`() {
        for path in [path(isSatisfied: false), path(isExpensive: true), path(isConstrained: true)] {
            change(["192.0.2.1"], path)
            #expect(ask(at: 0) == [] && table.next == nil && table.reports.isEmpty)
        }
        var plan = ResolverPlan()
        (plan.name, plan.runsOnExpensive) = ("example.org", true)
        change(["192.0.2.1"], path(isExpensive: true))
        table.apply(plan, at: .zero)
        #expect(ask(at: 0) == ["192.0.2.1"] && table.reports.count == 1)
        plan.name = nil
        table.apply(plan, at: .seconds(9))
        #expect(ask(at: 400) == [] && table.next == nil && table.reports.isEmpty)
    }

    @Test mutating func `Another uplink forgets what was answered, and other servers keep those that stay`() {
        change(["192.0.2.1", "192.0.2.2"])
        let late = table.start(at: .zero)
        change(["192.0.2.3", "192.0.2.2"], at: 1)
        for turn in late { table.finish(turn, .silent, at: start) }
        #expect(table.reports.map(\.address) == ["192.0.2.3", "192.0.2.2"])
        #expect(table.reports.map(\.isUp) == [nil, false])
        #expect(ask(at: 1) == ["192.0.2.3"])
        change(["192.0.2.3", "192.0.2.2"], path(isSatisfied: false), at: 2)
        change(["192.0.2.3", "192.0.2.2"], at: 3)
        #expect(table.reports.map(\.isUp) == [true, false], "the same uplink is back")
        let old = table.start(at: .seconds(5))
        change(["192.0.2.3", "192.0.2.2"], path(2), at: 6)
        for turn in old { table.finish(turn, .silent, at: start) }
        #expect(table.reports.map(\.isUp) == [nil, nil])
        #expect(ask(at: 6) == ["192.0.2.3", "192.0.2.2"])
    }
}
