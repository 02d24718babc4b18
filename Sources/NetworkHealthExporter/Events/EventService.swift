import FoundationEssentials
import Locking
import NetworkHealth
import Probing
import ServiceLifecycle
import SpeedTestCore

/// Tells the event log what happens: the network, and speed tests.
struct EventService: Service {
    let log = EventLog()
    private let monitor: HealthMonitor
    private let speedTests: SpeedTestBoard
    private let latency: @Sendable () -> NetworkLatency?

    init(_ monitor: HealthMonitor, speedTests: SpeedTestBoard, latency: @escaping @Sendable () -> NetworkLatency?) {
        (self.monitor, self.speedTests, self.latency) = (monitor, speedTests, latency)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await followNetwork() }
                group.addTask { await followTests() }
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
            log.publish(.snapshot, SnapshotDocument(state, latency: latency()).json)
        }
    }

    private func followTests() async {
        var pace = ProgressPace()
        let stopwatch = ContinuousClock.now
        for await news in speedTests.news.values() {
            switch news {
            case .progress(let progress):
                guard pace.tells(progress.phase, at: stopwatch.duration(to: .now)) else { continue }
                log.publish(.speedtest, ProgressDocument(progress).json)
            case .ended(let record): log.publish(.speedtest, record.document.json)
            }
        }
    }
}

/// How often the progress of a test is told: each new phase, else every half second.
struct ProgressPace {
    private static let interval = Duration.milliseconds(500)

    private var last: (phase: SpeedTestProgress.Phase, at: Duration)?

    mutating func tells(_ phase: SpeedTestProgress.Phase, at now: Duration) -> Bool {
        if let last, last.phase == phase, now - last.at < Self.interval { return false }
        last = (phase, now)
        return true
    }
}

/// How far a running test is, as JSON; its result has no `phase`.
struct ProgressDocument: Encodable {
    var phase: String
    var fraction: Double
    @Nullable var speedMbps: Double?

    init(_ progress: SpeedTestProgress) {
        phase = progress.phase.rawValue
        fraction = progress.fraction.toFiveDigits
        speedMbps = progress.bytesPerSecond.map { ($0 * 8 / 1e6).toFiveDigits }
    }
}
