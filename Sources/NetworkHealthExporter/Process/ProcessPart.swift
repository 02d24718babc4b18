import NetworkHealth
import Probing
import SpeedTestCore
import Storage

/// The exporter itself: what it is, what it uses, and whether it can store.
///
/// Reads the parts that send and receive. No other part reads it.
struct ProcessPart: Part {
    let internet: InternetService
    let targets: TargetService
    let speedTests: SpeedTestService
    let queue: QueueService
    /// nil: what is to outlive a restart is only in memory.
    let database: Database?
    /// nil: the statistics of the process are disabled.
    let reader: ProcessReader?
    var now: @Sendable () -> SuspendingClock.Instant = { .now }

    var collectors: [Collector] {
        var collectors = [
            Collector("build", of: { true }, { _ in BuildMetrics.families() }),
            Collector("own_traffic", .moving, of: { traffic }, OwnTrafficMetrics.families),
        ]
        if let database {
            collectors.append(Collector("storage", of: { database.failure == nil }, StorageMetrics.families))
        }
        if let reader {
            collectors.append(
                Collector(
                    "process",
                    .moving,
                    of: { [now] in try reader.statistics(at: now()) },
                    ProcessMetrics.families
                )
            )
        }
        return collectors
    }

    /// The bytes that this program has used.
    private var traffic: [OwnTrafficMetrics.Component: Traffic] {
        let tests = speedTests.board.read(\.traffic)
        return [
            .internet: internet.statistics?.traffic ?? Traffic(), .targets: targets.monitor.traffic,
            .speedtest: Traffic(received: tests.received, sent: tests.transmitted), .queue: queue.traffic,
        ]
    }
}
