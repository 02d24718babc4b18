import Coordination
import FoundationEssentials
import Logging
import NetworkHealth
import OfflineQueue
import Probing
import ServiceLifecycle

/// Hands webhooks about the network to the queue, which delivers them when it can.
///
/// Reads the state, the latency, the faults, the uplinks and the speed tests. No other part reads it.
struct WebhookService: Service, Part {
    private let monitor: HealthMonitor
    private let internet: InternetService
    private let faults: FaultService
    private let uplinks: UplinkService
    private let speedTests: SpeedTestBoard
    private let queue: RequestQueue
    private let logger: Logger
    private let plans: Locked<[WebhookPlan]>
    private let start = SuspendingClock.now
    private let alarm: Alarm

    init(
        _ context: PartContext,
        _ host: HostMonitor,
        _ internet: InternetService,
        _ faults: FaultService,
        _ uplinks: UplinkService,
        _ speedTests: SpeedTestService,
        _ queue: QueueService
    ) {
        (monitor, self.internet, self.queue, logger) = (host.health, internet, queue.queue, context.logger)
        (self.faults, self.uplinks, self.speedTests) = (faults, uplinks, speedTests.board)
        plans = Locked(WebhookPlan.all(context.configuration.webhooks))
        alarm = Alarm(Stopwatch(SuspendingClock()))
    }

    /// Takes over other webhooks.
    func apply(_ configuration: Configuration) {
        plans.withLock { $0 = WebhookPlan.all(configuration.webhooks, from: $0) }
        alarm.wake()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                // Before the faults are read for the first time: none falls between.
                let news = faults.news.values()
                let uplinkNews = uplinks.news.values()
                group.addTask { for await _ in news { alarm.wake() } }
                group.addTask { for await _ in uplinkNews { alarm.wake() } }
                let shortfalls = speedTests.shortfalls.values()
                group.addTask { for await shortfall in shortfalls { await report(shortfall) } }
                group.addTask { for await _ in monitor.changes() { alarm.wake() } }
                group.addTask { await follow() }
            }
        }
    }

    private func follow() async {
        while !Task.isCancelled {
            // An outage has lasted so long only where it was observed meanwhile.
            monitor.noticeGap()
            if let state = monitor.current { await report(state) }
            let deadline = plans.withLock { $0.compactMap(\.deadline).min() }
            await alarm.sleep(until: deadline.map { start.duration(to: $0) } ?? .seconds(86_400))
        }
    }

    /// Hands over what is to be reported now.
    private func report(_ state: HealthState) async {
        let (aged, unheard) = faults.aged
        let reports = uplinks.reports
        let now = WebhookPlanner.Moment(instant: .now, date: .now)
        let due = plans.withLock { plans in
            plans.indices.flatMap { index in
                plans[index].follow(state.gap, at: now.instant)
                let occurrences = plans[index].planner.take(
                    isOnline: state.isOnline,
                    outage: state.outage,
                    quality: state.quality,
                    at: now
                )
                let all =
                    occurrences + plans[index].faults.take(aged, unheard: unheard, at: now)
                    + plans[index].uplinks.take(reports, at: now)
                return all.map { (plans[index], $0) }
            }
        }
        await send(due, state)
    }

    private func report(_ shortfall: PlanShortfall) async {
        // A test has run: there is a state.
        guard let state = monitor.current else { return }
        let occurrence = WebhookOccurrence(
            event: .belowPlan,
            started: shortfall.first.at,
            seconds: 0,
            shortfall: shortfall
        )
        await send(plans.withLock { $0.map { ($0, occurrence) } }, state)
    }

    private func send(_ due: [(WebhookPlan, WebhookOccurrence)], _ state: HealthState) async {
        for (plan, occurrence) in due where plan.webhook.events.contains(occurrence.event) {
            do {
                let snapshot = SnapshotDocument(
                    state,
                    latency: internet.latency,
                    faults: faults.documents,
                    uplinks: uplinks.documents
                )
                let message = WebhookMessage(occurrence, snapshot: snapshot)
                try await queue.enqueue(plan.webhook.delivery(of: message, in: plan.lane))
            } catch {
                logger.error("A webhook about \(occurrence.event.rawValue) is lost: \(error)")
            }
        }
    }
}

extension Webhook {
    /// The request that delivers a message, without credentials.
    fileprivate func delivery(of message: WebhookMessage, in lane: String) -> RetryableRequest {
        RetryableRequest(
            endpoint: url,
            method: "POST",
            body: Data(body?.body(message) ?? message.json),
            requestType: Self.requestType,
            headers: ["Content-Type": contentType],
            orderingKey: lane,
            requirement: requirement
        )
    }
}
