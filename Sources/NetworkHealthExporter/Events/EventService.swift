import Coordination
import FoundationEssentials
import MicroHTTP
import NetworkHealth
import Probing
import ServiceLifecycle
import SpeedTestCore
import Statistics

/// Publishes changes of the network, faults, uplinks, speed tests, and the offline queue, as events.
///
/// Reads these parts. No other part reads it.
struct EventService: Service, Part {
    let log = EventLog()
    private let monitor: HealthMonitor
    private let faults: FaultService
    private let uplinks: UplinkService
    private let speedTests: SpeedTestBoard
    private let queue: QueueService
    private let internet: InternetService
    private let requests: RequestMetrics
    private let settings: Settings

    init(
        _ context: PartContext,
        _ host: HostMonitor,
        _ internet: InternetService,
        _ faults: FaultService,
        _ uplinks: UplinkService,
        _ speedTests: SpeedTestService,
        _ queue: QueueService,
        _ requests: RequestMetrics
    ) {
        (monitor, self.internet, self.speedTests, self.queue) = (host.health, internet, speedTests.board, queue)
        (self.faults, self.uplinks, self.requests, settings) = (faults, uplinks, requests, context.settings)
    }

    var routes: [Route] {
        let view = StreamView(log: log, onRefusal: requests.rejectStream)
        return [settings.route(.get, "/api/v1/stream", "stream", .immediate(view.answer))]
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await followNetwork() }
                group.addTask { await followFaults() }
                group.addTask { await followUplinks() }
                group.addTask { await followTests() }
                group.addTask {
                    for await shortfall in speedTests.shortfalls.values() { log.publish(.belowPlan, shortfall.json) }
                }
                group.addTask { await queueEvents.run() }
            }
        }
    }

    private func followNetwork() async {
        var last: HealthState?
        for await state in monitor.changes() {
            defer { last = state }
            if let transition = Transition(from: last, to: state) {
                log.publish(.transition, transition.document.json)
            }
            let snapshot = SnapshotDocument(
                state,
                latency: internet.latency,
                faults: faults.documents,
                uplinks: uplinks.documents
            )
            log.publish(.snapshot, snapshot.json)
        }
    }

    private func followFaults() async {
        for await fault in faults.news.values() {
            log.publish(fault.ended == nil ? .fault : .faultEnded, fault.json)
        }
    }

    private func followUplinks() async {
        for await event in uplinks.news.values() {
            let kind: ServerSentEvent.Kind = if case .lost = event.kind { .uplinkLost } else { .uplinkSwitched }
            log.publish(kind, UplinkEventDocument(event, now: .now, date: .now).json)
        }
    }

    private var queueEvents: QueueEvents {
        QueueEvents(
            changes: queue.activity.changes,
            document: { [queue] in queue.takeDocument() },
            publish: { [log] in log.publish(.queue, $0.json) }
        )
    }

    private func followTests() async {
        var limiter = ProgressLimiter()
        let stopwatch = ContinuousClock.now
        for await news in speedTests.news.values() {
            switch news {
            case .progress(let progress):
                guard limiter.allows(progress.phase, at: stopwatch.duration(to: .now)) else { continue }
                log.publish(.speedtest, ProgressDocument(progress).json)
            case .ended(let report): log.publish(.speedtest, report.json)
            }
        }
    }
}

/// Limits the progress events of a test: each new phase, else every half second.
struct ProgressLimiter {
    private static let interval = Duration.milliseconds(500)

    private var last: (phase: SpeedTestProgress.Phase, at: Duration)?

    mutating func allows(_ phase: SpeedTestProgress.Phase, at now: Duration) -> Bool {
        if let last, last.phase == phase, now - last.at < Self.interval { return false }
        last = (phase, now)
        return true
    }
}

/// The progress of a running test, as JSON; only it has a `phase`.
struct ProgressDocument: Encodable {
    var phase: String
    var fraction: Double
    @Nullable var speedMbps: Double?

    init(_ progress: SpeedTestProgress) {
        phase = progress.phase.rawValue
        fraction = progress.fraction.toFiveDigits
        speedMbps = progress.rate?.megabits.toFiveDigits
    }
}
