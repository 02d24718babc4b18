import Testing

@testable import Probing

/// What the cost of the path makes of the targets' turns.
struct TargetTableCostTests {
    @Test func `On a constrained path probes are skipped and counted by reason`() {
        var target = Target.make("a")
        target.onExpensive = .skip
        var table = TargetTable.make([target])
        table.change(ProbeContext(isExpensive: true), isNewUplink: false, at: .zero)
        for second in 0..<3 { #expect(table.start(at: .seconds(second)).isEmpty) }
        table.change(
            ProbeContext(isExpensive: true, isConstrained: true),
            isNewUplink: false,
            at: .milliseconds(2500)
        )
        for second in 3..<5 { #expect(table.start(at: .seconds(second)).isEmpty) }
        #expect(table.reports[0].statistics.skipped == [.expensive: 3, .constrained: 2])
        #expect(table.reports[0].statistics.probes == 0)
        table.change(ProbeContext(), isNewUplink: false, at: .milliseconds(4500))
        #expect(table.start(at: .seconds(5)).count == 1)
    }

    @Test func `on an expensive path a target runs at ten times its interval`() {
        var table = TargetTable.make([.make("a")], onExpensive: .slow)
        #expect(table.start(at: .zero).count == 1)
        table.change(ProbeContext(isExpensive: true), isNewUplink: false, at: .milliseconds(500))
        #expect(table.next == .seconds(10))
        table.apply([.make("a")], onExpensive: .run, at: .seconds(1))
        #expect(table.next == .seconds(1))
    }

    @Test func `A report has the decision that the cost of the path leads to`() {
        var go = Target.make("go")
        go.onExpensive = .run
        var table = TargetTable.make([.make("a"), go], onExpensive: .skip)
        #expect(table.reports.map(\.decision) == [.run, .run])
        table.change(ProbeContext(isExpensive: true), isNewUplink: false, at: .seconds(1))
        #expect(table.reports.map(\.decision) == [.skip(.expensive), .run])
        table.apply([go, .make("new")], onExpensive: .skip, at: .seconds(1))
        #expect(table.reports.map(\.decision) == [.run, .skip(.expensive)])
        table.change(ProbeContext(), isNewUplink: false, at: .seconds(2))
        #expect(table.reports.map(\.decision) == [.run, .run])
    }
}
