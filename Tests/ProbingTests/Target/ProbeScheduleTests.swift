import Probing
import Testing

struct ProbeScheduleTests {
    private static func schedule(_ intervals: [(String, Duration)], at now: Duration = .zero) -> ProbeSchedule {
        var schedule = ProbeSchedule()
        schedule.update(intervals, at: now)
        return schedule
    }

    /// Every turn up to the end, each taken when it comes.
    private static func turns(_ schedule: inout ProbeSchedule, until end: Duration) -> [ProbeSchedule.Due] {
        var turns: [ProbeSchedule.Due] = []
        while let next = schedule.next, next <= end { turns += schedule.due(at: next) }
        return turns
    }

    @Test func `Nothing is due if nothing is scheduled`() {
        var schedule = ProbeSchedule()
        #expect(schedule.next == nil)
        #expect(schedule.due(at: .seconds(100)).isEmpty)
    }

    @Test func `first turns are spread by position over the interval`() {
        var schedule = Self.schedule((0..<4).map { ("t\($0)", .seconds(2)) }, at: .seconds(7))
        let turns = Self.turns(&schedule, until: .milliseconds(8999))
        #expect(turns.map(\.name) == ["t0", "t1", "t2", "t3"])
        #expect(turns.map(\.time) == [7000, 7500, 8000, 8500].map { .milliseconds($0) })
    }

    @Test func `the spread ends after ten seconds`() {
        var schedule = Self.schedule((0..<5).map { ("t\($0)", .seconds(3600)) })
        #expect(Self.turns(&schedule, until: .seconds(60)).map(\.time) == [0, 2, 4, 6, 8].map { .seconds($0) })
    }

    @Test func `A turn taken late does not delay the later ones`() {
        var schedule = Self.schedule([("a", .seconds(1))])
        for second in 0..<1000 {
            let turn = schedule.due(at: .seconds(second) + .milliseconds(second % 997))
            #expect(turn.map(\.time) == [.seconds(second)])
        }
        #expect(schedule.next == .seconds(1000))
    }

    @Test func `Turns missed in a pause are left out, and the phase is kept`() {
        var schedule = Self.schedule([("a", .seconds(10)), ("b", .seconds(10))])
        _ = Self.turns(&schedule, until: .seconds(5))
        let late = schedule.due(at: .seconds(3601))
        #expect(late.map(\.name) == ["a", "b"])
        #expect(late.map(\.time) == [.seconds(10), .seconds(15)])
        #expect(schedule.due(at: .seconds(3604)).isEmpty)
        #expect(
            Self.turns(&schedule, until: .seconds(3615)).map(\.time) == [
                .seconds(3605), .seconds(3610), .seconds(3615),
            ]
        )
    }

    @Test func `a turn that comes exactly at the end of a pause is not left out`() {
        var schedule = Self.schedule([("a", .seconds(10))])
        #expect(schedule.due(at: .seconds(30)).count == 1)
        #expect(schedule.next == .seconds(40))
    }

    @Test func `an unchanged interval keeps its turn, a new target gets its place`() {
        var schedule = Self.schedule([("a", .seconds(10))])
        _ = schedule.due(at: .zero)
        schedule.update([("new", .seconds(10)), ("other", .seconds(4)), ("a", .seconds(10))], at: .seconds(3))
        let turns = Self.turns(&schedule, until: .seconds(10))
        #expect(turns.map(\.name) == ["new", "other", "other", "a"])
        #expect(turns.map(\.time).first == .seconds(3))
        #expect(turns.map(\.time).last == .seconds(10))
    }

    @Test func `a changed interval counts from the last turn`() {
        var schedule = Self.schedule([("a", .seconds(10))])
        _ = Self.turns(&schedule, until: .seconds(20))
        schedule.update([("a", .seconds(100))], at: .seconds(25))
        #expect(schedule.next == .seconds(120))
        schedule.update([("a", .seconds(10))], at: .seconds(26))
        #expect(schedule.next == .seconds(30))
    }

    @Test func `a changed interval that has passed already is taken within the spread`() {
        var schedule = Self.schedule([("a", .seconds(100)), ("b", .seconds(100))])
        _ = Self.turns(&schedule, until: .seconds(20))
        schedule.update([("a", .seconds(8)), ("b", .seconds(8))], at: .seconds(50))
        let turns = Self.turns(&schedule, until: .seconds(57))
        #expect(turns.map(\.name) == ["a", "b"])
        #expect(turns.map(\.time) == [.seconds(50), .seconds(54)])
    }

    @Test func `a first turn keeps its place when the interval changes before it`() {
        var schedule = Self.schedule([("a", .seconds(10)), ("b", .seconds(10))])
        schedule.update([("a", .seconds(100)), ("b", .seconds(100))], at: .seconds(2))
        #expect(Self.turns(&schedule, until: .seconds(20)).map(\.time) == [.zero, .seconds(5)])
    }

    @Test func `A removed target is new when it is added again`() {
        var schedule = Self.schedule((0..<7).map { ("t\($0)", .seconds(7)) })
        _ = Self.turns(&schedule, until: .seconds(7))
        schedule.remove(["t3"])
        #expect(!Self.turns(&schedule, until: .seconds(20)).map(\.name).contains("t3"))
        schedule.update([("t3", .seconds(7))], at: .seconds(21))
        #expect(schedule.next == .seconds(21))
    }

    @Test func `An interval of 0 still ends`() {
        var schedule = Self.schedule([("a", .zero), ("b", .seconds(-1))])
        #expect(schedule.due(at: .seconds(1)).count == 2)
        #expect(schedule.next == .microseconds(1_000_500))
    }
}
