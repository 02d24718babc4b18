import Foundation
import NetworkHealth
import Testing

@testable import NetworkHealthExporter

@Suite struct FaultPlannerTests {
    private static let start = SuspendingClock.now
    private static let origin = ContinuousClock.now

    private static func moment(_ seconds: Double) -> WebhookPlanner.Moment {
        .init(instant: start + .seconds(seconds), date: date(seconds))
    }

    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1000 + seconds) }

    /// Faults that began at some second.
    private func take(
        _ faults: [(FaultLocation, FaultKind, Double)],
        at seconds: Double,
        unheard: Set<Fault.Pair> = [],
        _ planner: inout FaultPlanner
    ) -> [WebhookOccurrence] {
        let now = Self.origin + .seconds(seconds)
        let shown = faults.map { location, kind, begin in
            let observation = FaultObservation(.state, at: now, says: "Seen at \(Int(seconds)).")
            let fault = Fault(location, kind, since: Self.origin + .seconds(begin), [observation])
            return (fault: fault, age: fault.age(at: now))
        }
        return planner.take(shown, unheard: unheard, at: Self.moment(seconds))
    }

    private func deadline(_ planner: FaultPlanner) -> Double? {
        planner.deadline.map { Self.start.duration(to: $0) / .seconds(1) }
    }

    @Test func `a fault is reported once it has lasted long enough, and its end with its length`() throws {
        var planner = FaultPlanner(minimum: .seconds(30))
        #expect(take([], at: 0, &planner).isEmpty && planner.deadline == nil)
        #expect(take([(.access, .outage, 10)], at: 12, &planner).isEmpty)
        #expect(deadline(planner) == 40)
        #expect(take([(.access, .outage, 10)], at: 39.9, &planner).isEmpty)
        let began = take([(.access, .outage, 10)], at: 40, &planner)
        #expect(began.map(\.event) == [.fault] && began.first?.started == Self.date(10))
        #expect(began.first?.fault?.fault.location == "access" && began.first?.fault?.ended == nil)
        #expect(began.first?.fault?.fault.evidence == ["Seen at 40."] && planner.deadline == nil)
        #expect(take([(.access, .outage, 10)], at: 100, &planner).isEmpty)
        let ended = take([], at: 110, &planner)
        #expect(ended.map(\.event) == [.faultEnded] && ended.first?.ended == Self.date(110))
        #expect(ended.first?.seconds == 100 && ended.first?.fault?.seconds == 100)
        #expect(ended.first?.fault?.fault.evidence == ["Seen at 100."], "the last")
        #expect(take([], at: 500, &planner).isEmpty)
    }

    @Test func `one that is not reported has to last again after time in which nothing was observed`() {
        var planner = FaultPlanner(minimum: .seconds(30))
        #expect(take([(.access, .outage, 0)], at: 2, &planner).isEmpty)
        planner.missed(at: Self.moment(62).instant)
        #expect(take([(.access, .outage, 0)], at: 62, &planner).isEmpty && deadline(planner) == 92)
        let began = take([(.access, .outage, 0)], at: 92, &planner)
        #expect(began.map(\.event) == [.fault])
        #expect(began.first?.started == Self.date(0) && began.first?.seconds == 92, "the times agree")
    }

    @Test func `one of which the host says nothing any more is not over, and not reported`() {
        var planner = FaultPlanner(minimum: .seconds(30))
        let faults: [(FaultLocation, FaultKind, Double)] = [(.access, .outage, 0), (.dns, .latency, 20)]
        #expect(take(faults, at: 30, &planner).map(\.event) == [.fault])
        let unheard: Set = [Fault.Pair(.access, .outage), Fault.Pair(.dns, .latency)]
        #expect(take([], at: 40, unheard: unheard, &planner).isEmpty && planner.deadline == nil)
        #expect(take([], at: 60, unheard: unheard, &planner).isEmpty)
        #expect(take([faults[0]], at: 70, &planner).isEmpty)
        #expect(take([], at: 80, &planner).map(\.event) == [.faultEnded])
    }

    @Test func `one whose first evidence is old is reported at once`() {
        var planner = FaultPlanner(minimum: .seconds(30))
        #expect(take([(.provider, .loss, 0)], at: 600, &planner).map(\.event) == [.fault])
    }

    @Test func `a short one is not reported, and neither is its end`() {
        var planner = FaultPlanner(minimum: .seconds(30))
        #expect(take([(.link, .outage, 10)], at: 10, &planner).isEmpty)
        #expect(take([], at: 39, &planner).isEmpty && planner.deadline == nil)
    }

    @Test func `a place that is found ends the unknown one, and several are reported each`() {
        var planner = FaultPlanner(minimum: .zero)
        #expect(take([(.unknown, .outage, 0)], at: 15, &planner).map(\.fault?.fault.location) == ["unknown"])
        let found = take([(.access, .outage, 0), (.dns, .outage, 18)], at: 20, &planner)
        #expect(found.map(\.event) == [.faultEnded, .fault, .fault])
        #expect(found.map(\.fault?.fault.location) == ["unknown", "access", "dns"])
    }

    /// A place is entered and left at most once in 30 s, by `FaultHold`: a webhook without a minimum gets no more.
    @Test func `a line that comes and goes each second is at most a begin and an end in 30 s`() {
        var board = FaultBoard()
        var planner = FaultPlanner(minimum: .zero)
        var events: [WebhookEvent] = []
        for second in 0..<300 {
            let now = Self.origin + .seconds(second)
            var evidence = FaultEvidence()
            if second.isMultiple(of: 2) {
                evidence.outage = FaultEvidence.OngoingOutage(.link, since: now)
            } else {
                evidence.isOnline = true
            }
            _ = board.update(evidence, at: now)
            let faults = board.faults.map { (fault: $0, age: $0.age(at: now)) }
            events += planner.take(faults, at: Self.moment(Double(second))).map(\.event)
        }
        #expect(events.count { $0 == .fault } <= 11 && events.count { $0 == .faultEnded } <= 11)
        #expect(events.count >= 10)
    }
}
