/// One webhook: where its messages wait, and what it has reported.
struct WebhookPlan {
    private(set) var webhook: Webhook
    /// The ordering key of its messages in the queue.
    private(set) var lane: String
    var planner: WebhookPlanner
    var faults: FaultPlanner
    var uplinks: UplinkPlanner
    /// The last time in which nothing was observed.
    private var gap: DatedGap?

    private init(_ webhook: Webhook, _ lane: String) {
        (self.webhook, self.lane) = (webhook, lane)
        planner = WebhookPlanner(minOutage: webhook.minOutage)
        faults = FaultPlanner(minimum: webhook.minOutage)
        uplinks = UplinkPlanner(minimum: webhook.minOutage)
    }

    /// The plans of all webhooks; one that did not change, or only in the values of its credentials, goes on.
    static func all(_ webhooks: [Webhook], from known: [WebhookPlan] = []) -> [WebhookPlan] {
        let changed = known.filter { !webhooks.contains($0.webhook) }
        return zip(webhooks, webhooks.lanes).map { webhook, lane in
            let earlier = known.first { $0.webhook == webhook } ?? changed.first { $0.lane == lane }
            guard var plan = earlier else { return WebhookPlan(webhook, lane) }
            (plan.webhook, plan.lane) = (webhook, lane)
            return plan
        }
    }

    mutating func follow(_ gap: DatedGap?, at now: WebhookPlanner.Instant) {
        guard gap != self.gap else { return }
        self.gap = gap
        planner.missed()
        faults.missed(at: now)
        uplinks.missed(at: now)
    }

    /// When something may be due without a change; nil: never.
    var deadline: WebhookPlanner.Instant? {
        [planner.deadline, faults.deadline, uplinks.deadline].compactMap(\.self).min()
    }
}
