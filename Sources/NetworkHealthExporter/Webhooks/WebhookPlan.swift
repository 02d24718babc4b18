import NetworkHealth

/// One webhook: where its messages wait, and what it has reported.
struct WebhookPlan {
    private(set) var webhook: Webhook
    /// The ordering key of its messages in the queue.
    private(set) var lane: String
    var planner: WebhookPlanner
    var faults: FaultPlanner
    var uplinks: UplinkPlanner
    /// Of its settings without the values of credentials.
    private var identity: String
    /// The last time in which nothing was observed.
    private var gap: DatedGap?

    private init(_ webhook: Webhook, _ identity: String, _ lane: String) {
        (self.webhook, self.identity, self.lane) = (webhook, identity, lane)
        planner = WebhookPlanner(minOutage: webhook.minOutage)
        faults = FaultPlanner(minimum: webhook.minOutage)
        uplinks = UplinkPlanner(minimum: webhook.minOutage)
    }

    /// The plans of all webhooks; one that did not change, or only in the values of its credentials, goes on.
    static func all(_ webhooks: [Webhook], from known: [WebhookPlan] = []) -> [WebhookPlan] {
        let changed = known.filter { !webhooks.contains($0.webhook) }
        let (identities, lanes) = (webhooks.identities, webhooks.lanes)
        return webhooks.indices.map { index in
            let webhook = webhooks[index]
            let earlier =
                known.first { $0.webhook == webhook } ?? changed.first { $0.identity == identities[index] }
            guard var plan = earlier else { return WebhookPlan(webhook, identities[index], lanes[index]) }
            (plan.webhook, plan.identity, plan.lane) = (webhook, identities[index], lanes[index])
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
