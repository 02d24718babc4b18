import HTTPTransfer
import Locking
import NetworkHealth
import OfflineQueue
import Posix
import Probing
import ServiceLifecycle
import Storage

/// The queue of requests that wait for the network: those of applications, and webhooks.
struct QueueService: Service {
    /// What most requests wait for: being online, while the queue itself sends as soon as there is a path.
    static let online = "online"

    let queue: RequestQueue
    let news = QueueNews()
    private let loop: TransferLoop

    /// - Throws: `SystemError` where descriptors or threads have run out.
    init(
        database: Database,
        monitor: HealthMonitor,
        requirements: RequirementEvaluator,
        configuration: @escaping @Sendable () -> Configuration
    ) throws {
        loop = try TransferLoop(name: "queue", userAgent: Version.userAgent)
        queue = RequestQueue(
            database: database,
            online: QueueNetwork.values(of: monitor.changes()),
            sender: QueueSender(configuration: configuration, loop: loop, news: news),
            limits: configuration().offlineQueue.limits,
            isSatisfied: { requirements.verdict(.named($0)).passed },
            onChange: { [news] in news.changed() }
        )
        // On the thread that brings the change: what waits for a requirement is looked at again.
        monitor.observe { [queue] _ in queue.reconsider() }
    }

    /// The bytes that deliveries have used.
    var traffic: Traffic { Traffic(received: loop.counters.received, sent: loop.counters.sent) }

    /// The event of this moment, with the ids since the last call.
    func takeNews() -> QueueDocument { QueueDocument(queue.statistics, news.take()) }

    /// What the queue may hold from now on.
    func apply(_ configuration: Configuration) { queue.apply(configuration.offlineQueue.limits) }

    func run() async throws {
        // From the first delivery on.
        let deliveries = queue.deliveries
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await queue.run() }
                group.addTask {
                    for await delivery in deliveries where delivery.request.requestType != Webhook.requestType {
                        news.delivered(delivery.request.id)
                    }
                }
            }
        }
        loop.stop()
    }
}
