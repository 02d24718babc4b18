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
}
