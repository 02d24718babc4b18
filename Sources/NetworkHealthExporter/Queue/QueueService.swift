import Coordination
import HTTPTransfer
import MicroHTTP
import NetworkHealth
import OfflineQueue
import Posix
import Probing
import ServiceLifecycle
import Statistics
import Storage

/// The queue of requests that wait for the network: those of applications, and webhooks.
///
/// Reads the state and the requirements. Webhooks are handed over to it; the event stream and the status read what it holds.
/// `RequestsView` and the webhooks hand requests to `RequestQueue`, which stores them, decides which one is due, and calls `QueueSender` for it.
struct QueueService: Service, Part {
    let queue: RequestQueue
    let activity = QueueActivity()
    private let loop: TransferLoop
    private let view: RequestsView
    private let settings: Settings
    private let configuration: Locked<Configuration>

    /// - Throws: `SystemError` where descriptors or threads have run out.
    init(_ context: PartContext, _ host: HostMonitor, _ requirements: RequirementService) throws {
        let requirements = requirements.evaluator
        let current = Locked(context.configuration)
        (configuration, settings) = (current, context.settings)
        loop = try TransferLoop(name: "queue", userAgent: Version.userAgent)
        queue = RequestQueue(
            database: context.storage.database,
            online: QueueNetwork.values(of: host.health.changes()),
            sender: QueueSender(
                configuration: { current.withLock { $0 } },
                loop: loop,
                activity: activity,
                webhookFailures: WebhookFailureReporter(logger: context.logger)
            ),
            limits: context.configuration.offlineQueue.limits,
            isSatisfied: requirements.isMetBySending,
            onChange: { [activity] in activity.changed() }
        )
        view = RequestsView(
            queue: queue,
            activity: activity,
            prefix: settings.routePrefix,
            browsers: context.browsers,
            configuration: { current.withLock { $0.offlineQueue } },
            isRequirement: { requirements.requirement(named: $0) != nil }
        )
        // On the thread that brings the change: what waits for a requirement is looked at again.
        host.health.observe { [queue] _ in queue.reconsider() }
    }

    /// The bytes that deliveries have used.
    var traffic: ByteCounts {
        let counters = loop.counters
        return ByteCounts(received: counters.received, transmitted: counters.sent)
    }

    /// The event of this moment, with the ids since the last call.
    func takeDocument() -> QueueDocument { QueueDocument(queue.statistics, activity.take()) }

    /// How many requests the queue waits to deliver; nil before its file has been read.
    var pending: Int? { queue.isOpen ? queue.statistics.pending : nil }

    func apply(_ configuration: Configuration) {
        self.configuration.withLock { $0 = configuration }
        queue.apply(configuration.offlineQueue.limits)
    }

    var collectors: [Collector] {
        [
            Collector(
                "queue",
                .moving,
                of: { [queue, view] in QueueMetrics.Facts(queue, disabled: view.refusals) },
                QueueMetrics.families
            )
        ]
    }

    var routes: [Route] {
        let rows: [(Method, String, @Sendable (Request) async -> Response)] = [
            (.get, "", view.list), (.get, "/*", view.one), (.post, "", view.enqueue), (.post, "/*", view.retry),
            (.delete, "", view.remove), (.delete, "/*", view.remove),
        ]
        return rows.map { method, path, answer in
            settings.route(
                method,
                RequestsView.path + path,
                "requests",
                bodyLimit: method == .post && path.isEmpty ? RequestsView.bodyLimit : 0,
                refusal: view.refusal,
                .waiting(answer)
            )
        }
    }

    func run() async throws {
        // From the first delivery on.
        let deliveries = queue.deliveries
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await queue.run() }
                group.addTask {
                    for await delivery in deliveries where delivery.request.requestType != Webhook.requestType {
                        activity.delivered(delivery.request.id)
                    }
                }
            }
        }
        loop.stop()
    }
}
