import Foundation
import NetworkHealth
import Testing

@testable import NetworkHealthExporter

@Suite struct WebhookPlannerTests {
    /// Feeds a planner at seconds after a start.
    private struct Simulation {
        private static let start = SuspendingClock.now
        var planner: WebhookPlanner
        private var outage: Outage?
        var isKnown = true

        init(minOutage: Duration = .seconds(30)) { planner = WebhookPlanner(minOutage: minOutage) }

        private static func moment(_ seconds: Double) -> WebhookPlanner.Moment {
            .init(instant: start + .seconds(seconds), date: Date(timeIntervalSince1970: 1000 + seconds))
        }

        var deadline: Double? { planner.deadline.map { Self.start.duration(to: $0) / .seconds(1) } }

        mutating func lose(at seconds: Double, _ cause: OutageCause = .gateway) -> [WebhookOccurrence] {
            outage = Outage(cause, since: Self.start + .seconds(seconds))
            return tick(at: seconds)
        }

        mutating func locate(_ place: FaultLocation, at seconds: Double) -> [WebhookOccurrence] {
            outage?.location = place
            return tick(at: seconds)
        }

        mutating func restore(at seconds: Double, _ quality: NetworkQuality = .good) -> [WebhookOccurrence] {
            if let since = outage?.since { outage?.length = since.duration(to: Self.start + .seconds(seconds)) }
            return tick(at: seconds, quality)
        }

        mutating func tick(at seconds: Double, _ quality: NetworkQuality = .good) -> [WebhookOccurrence] {
            let isOnline = outage?.isOngoing != true
            return planner.take(
                isOnline: isKnown ? isOnline : nil,
                outage: outage,
                quality: isOnline ? quality : .offline,
                at: Self.moment(seconds)
            )
        }
    }

    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1000 + seconds) }

    @Test func `an outage of which no more is known is not over, and goes on if it was not repaired`() {
        var simulation = Simulation()
        _ = simulation.lose(at: 10)
        #expect(simulation.tick(at: 40).map(\.event) == [.lost])
        simulation.isKnown = false
        #expect(simulation.restore(at: 50).isEmpty && simulation.deadline == nil)
        #expect(simulation.tick(at: 200).isEmpty)
        simulation.isKnown = true
        #expect(simulation.lose(at: 200).isEmpty)
        #expect(simulation.restore(at: 300).isEmpty && simulation.deadline == 310)
        let restored = simulation.tick(at: 310)
        #expect(restored.map(\.event) == [.restored] && restored.first?.outages == 2)
    }

    @Test func `an outage is reported once it has lasted long enough, and its end after a hold`() {
        var simulation = Simulation()
        #expect(simulation.tick(at: 0).isEmpty && simulation.deadline == nil)
        #expect(simulation.lose(at: 10).isEmpty)
        #expect(simulation.deadline == 40)
        #expect(simulation.tick(at: 39.9).isEmpty)
        let lost = WebhookOccurrence(
            event: .lost,
            started: date(10),
            seconds: 30,
            cause: .gateway,
            location: .unknown,
            outages: 1
        )
        #expect(simulation.tick(at: 40) == [lost])
        #expect(simulation.tick(at: 50).isEmpty && simulation.deadline == nil)
        #expect(simulation.restore(at: 100).isEmpty)
        #expect(simulation.deadline == 110)
        let restored = WebhookOccurrence(
            event: .restored,
            started: date(10),
            ended: date(100),
            seconds: 90,
            cause: .gateway,
            location: .unknown,
            outages: 1
        )
        #expect(simulation.tick(at: 110) == [restored])
        #expect(simulation.tick(at: 200).isEmpty && simulation.deadline == nil)
    }

    @Test func `an outage has the last place that was found, also for several that are one`() {
        var simulation = Simulation()
        _ = simulation.lose(at: 10)
        #expect(simulation.locate(.access, at: 20).isEmpty)
        #expect(simulation.tick(at: 40).map(\.location) == [.access])
        #expect(simulation.locate(.provider, at: 60).isEmpty)
        #expect(simulation.restore(at: 100).isEmpty)
        #expect(simulation.lose(at: 105).isEmpty && simulation.restore(at: 110).isEmpty)
        #expect(simulation.tick(at: 120).map(\.location) == [.provider])
    }

    @Test func `an outage that was over before a reload brought the webhook is not reported, and one that lasts is`() {
        var simulation = Simulation()
        _ = simulation.lose(at: 10)
        _ = simulation.restore(at: 100)
        simulation.planner = WebhookPlanner(minOutage: .seconds(30))
        #expect(simulation.tick(at: 3600).isEmpty && simulation.tick(at: 3700).isEmpty && simulation.deadline == nil)
        #expect(simulation.lose(at: 4000).isEmpty && simulation.tick(at: 4030).map(\.event) == [.lost])
        simulation.planner = WebhookPlanner(minOutage: .seconds(30))
        #expect(simulation.tick(at: 4040).map(\.event) == [.lost])
    }

    @Test func `a short outage is not reported`() {
        var simulation = Simulation()
        #expect(simulation.lose(at: 10).isEmpty)
        #expect(simulation.restore(at: 39).isEmpty)
        #expect(simulation.tick(at: 49).isEmpty && simulation.tick(at: 500).isEmpty)
    }

    @Test func `outages that follow each other closely are one`() {
        var simulation = Simulation()
        var reported: [WebhookOccurrence] = []
        for cycle in 0..<20 {
            reported += simulation.lose(at: Double(cycle) * 20, cycle == 0 ? .link : .gateway)
            reported += simulation.restore(at: Double(cycle) * 20 + 11)
        }
        #expect(reported.map(\.event) == [.lost])
        reported += simulation.tick(at: 401)
        #expect(reported.map(\.event) == [.lost, .restored])
        #expect(reported.last?.outages == 20 && reported.last?.cause == .link)
        #expect(reported.last?.seconds == 391 && reported.last?.ended == date(391))
    }

    @Test func `without a minimum each outage is reported at once`() {
        var simulation = Simulation(minOutage: .zero)
        #expect(simulation.lose(at: 1).map(\.event) == [.lost])
        #expect(simulation.restore(at: 2).map(\.event) == [.restored])
        #expect(simulation.lose(at: 3).map(\.event) == [.lost])
        #expect(simulation.restore(at: 4).map(\.event) == [.restored])
    }

    @Test func `an outage that began and ended unseen is reported with its end`() {
        var simulation = Simulation()
        _ = simulation.lose(at: 10)
        // The next state comes late, as on a host that is very busy.
        #expect(simulation.restore(at: 60).map(\.event) == [.lost])
        #expect(simulation.tick(at: 70).map(\.event) == [.restored])
    }

    @Test func `another quality is reported once it has lasted, and an outage is none`() {
        var simulation = Simulation()
        #expect(simulation.tick(at: 0, .good).isEmpty)
        #expect(simulation.tick(at: 10, .poor).isEmpty && simulation.deadline == 40)
        #expect(simulation.tick(at: 20, .good).isEmpty && simulation.deadline == nil)
        #expect(simulation.tick(at: 30, .poor).isEmpty)
        // Still another one begins anew.
        #expect(simulation.tick(at: 50, .moderate).isEmpty && simulation.deadline == 80)
        #expect(
            simulation.tick(at: 80, .moderate)
                == [WebhookOccurrence(event: .quality, started: date(50), seconds: 30, previousQuality: .good)]
        )
        #expect(simulation.lose(at: 90).isEmpty)
        #expect(simulation.restore(at: 95, .moderate).isEmpty)
        #expect(simulation.tick(at: 300, .moderate).isEmpty)
    }

    @Test func `another quality has to last again after time in which nothing was observed`() {
        var simulation = Simulation()
        #expect(simulation.tick(at: 0).isEmpty)
        #expect(simulation.tick(at: 50, .poor).isEmpty)
        simulation.planner.missed()
        #expect(simulation.tick(at: 110, .poor).isEmpty && simulation.deadline == 140)
        #expect(simulation.tick(at: 140, .poor).map(\.event) == [.quality])
    }

    @Test func `an outage has to last again after time in which nothing was observed, unless it was reported`() {
        var simulation = Simulation()
        _ = simulation.lose(at: 10)
        // Nothing is observed from 15 to 100: the outage has ended with the observation.
        simulation.isKnown = false
        _ = simulation.restore(at: 15)
        simulation.planner.missed()
        #expect(simulation.tick(at: 100).isEmpty)
        simulation.isKnown = true
        #expect(simulation.lose(at: 100).isEmpty && simulation.deadline == 130)
        #expect(simulation.tick(at: 130).map(\.seconds) == [30])
        _ = simulation.restore(at: 140)
        simulation.planner.missed()
        #expect(simulation.lose(at: 145).isEmpty && simulation.restore(at: 150).isEmpty)
        #expect(simulation.tick(at: 160).map(\.event) == [.restored])
    }
}
