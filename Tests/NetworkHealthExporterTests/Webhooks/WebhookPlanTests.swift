import Foundation
import NetworkHealth
import Testing

@testable import NetworkHealthExporter

@Suite struct WebhookPlanTests {
    private let start = SuspendingClock.now

    private func webhook(_ secret: String, to topic: String = "a") -> Webhook {
        var webhook = Webhook()
        (webhook.url, webhook.secret, webhook.contentType) = ("https://ntfy.test/", secret, "text/\(topic)")
        return webhook
    }

    /// What each plan reports of an outage that has lasted for a minute.
    private func report(_ plans: inout [WebhookPlan]) -> [[WebhookEvent]] {
        let now = WebhookPlanner.Moment(instant: start + .seconds(60), date: Date(timeIntervalSince1970: 1000))
        return plans.indices.map { index in
            plans[index].planner.take(
                isOnline: false,
                outage: Outage(.gateway, since: start),
                quality: .offline,
                at: now
            )
            .map(\.event)
        }
    }

    @Test func `a webhook whose credentials a reload renews during an outage does not report it again`() {
        var plans = WebhookPlan.all([webhook("1"), webhook("2", to: "b")])
        #expect(report(&plans) == [[.lost], [.lost]])
        let renewed = [webhook("4", to: "b"), webhook("3")]
        plans = WebhookPlan.all(renewed, from: plans)
        #expect(report(&plans) == [[], []])
        #expect(plans.map(\.webhook) == renewed && plans.map(\.lane) == renewed.lanes)
        // One of them is removed, so that the other's key is another one.
        plans = WebhookPlan.all([webhook("5", to: "b")], from: plans)
        #expect(report(&plans) == [[]])
    }

    @Test func `a webhook that is new, or that a reload changes, reports the outage that lasts`() {
        var plans = WebhookPlan.all([webhook("1")])
        #expect(report(&plans) == [[.lost]])
        plans = WebhookPlan.all([webhook("1"), webhook("2", to: "b")], from: plans)
        #expect(report(&plans) == [[], [.lost]])
        var changed = webhook("1")
        changed.minOutage = .seconds(31)
        plans = WebhookPlan.all([changed], from: plans)
        #expect(report(&plans) == [[.lost]])
    }

    @Test func `of two webhooks that differ only in credentials, a third between them takes the plan of neither`() {
        var plans = WebhookPlan.all([webhook("1"), webhook("2")])
        _ = report(&plans)
        plans = WebhookPlan.all([webhook("3"), webhook("1"), webhook("2")], from: plans)
        #expect(report(&plans) == [[.lost], [], []])
    }

    @Test func `time in which nothing was observed counts for no outage, no fault and no lost uplink`() throws {
        var plan = try #require(WebhookPlan.all([webhook("1")]).first)
        func moment(_ second: Double) -> WebhookPlanner.Moment {
            .init(instant: start + .seconds(second), date: Date(timeIntervalSince1970: 1000 + second))
        }
        var lost = UplinkReport(adopted: "lte")
        (lost.outages, lost.isOnline, lost.cause, lost.downSince) = (1, false, .noInternet, start)
        let uplinks = [UplinkReport(adopted: "cable"), lost]
        func take(_ outage: Outage, at second: Double) -> [WebhookEvent] {
            let now = moment(second)
            let seen = FaultObservation(.state, at: .now, says: "Seen.")
            let fault = (fault: Fault(.access, .outage, since: .now, [seen]), age: Duration.seconds(second))
            let outages = plan.planner.take(isOnline: false, outage: outage, quality: .offline, at: now)
            let all = outages + plan.faults.take([fault], at: now) + plan.uplinks.take(uplinks, at: now)
            return all.map(\.event)
        }
        #expect(take(Outage(.gateway, since: start), at: 5).isEmpty)
        plan.follow(DatedGap(start: 1010.0, end: 1060), at: moment(60).instant)
        let after = Outage(.gateway, since: moment(60).instant)
        #expect(take(after, at: 89).isEmpty)
        #expect(take(after, at: 90) == [.lost, .fault, .uplinkLost])
    }
}
