import FoundationEssentials
import Statistics
import Testing

@testable import Probing

/// What a reload keeps of the targets.
struct TargetTableReloadTests {
    @Test func `an unchanged target keeps everything, a changed one nothing, in the new order`() throws {
        var table = TargetTable.make([.make("a"), .make("b")])
        for second in 0..<3 {
            for run in table.start(at: .seconds(second)) {
                _ = table.finish(run, .success(1), startDelay: .zero, date: .now, at: .now)
            }
        }
        let kept = table.reports[0].statistics
        #expect(kept.probes == 3)
        table.apply([.make("c"), .make("b", address: "192.0.2.2"), .make("a")], onExpensive: .run, at: .seconds(3))
        #expect(table.reports.map(\.target.name) == ["c", "b", "a"])
        #expect(table.reports.map(\.statistics.probes) == [0, 0, 3])
        #expect(table.report(named: "a")?.statistics == kept)
        #expect(table.report(named: "b")?.target.address == "192.0.2.2")
        table.apply([], onExpensive: .run, at: .seconds(4))
        #expect(table.reports.isEmpty)
        #expect(table.report(named: "a") == nil)
        #expect(table.next == nil)
    }

    @Test func `A changed target is probed soon, an unchanged one when it is due`() {
        var table = TargetTable.make([.make("a", every: .seconds(3600)), .make("b", every: .seconds(3600))])
        #expect(table.start(at: .seconds(10)).count == 2)
        let changed = Target.make("a", address: "192.0.2.2", every: .seconds(3600))
        table.apply([changed, .make("b", every: .seconds(3600))], onExpensive: .slow, at: .seconds(20))
        #expect(table.start(at: .seconds(20)).map(\.target.address) == ["192.0.2.2"])
        #expect(table.next == .seconds(3605))
    }

    @Test func `A probe from before the reload is not counted`() throws {
        var table = TargetTable.make([.make("a"), .make("b")])
        let runs = table.start(at: .seconds(1))
        #expect(runs.count == 2)
        table.apply([.make("a", every: .seconds(2))], onExpensive: .slow, at: .seconds(1))
        for run in runs {
            #expect(table.finish(run, .success(1), startDelay: .zero, date: .now, at: .now) == nil)
        }
        #expect(table.reports.map(\.statistics.probes) == [0])
        #expect(table.reports[0].statistics.isUp == nil)
    }
}
