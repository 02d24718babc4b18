import NetworkHealth
import Probing
import SpeedTestCore
import Statistics
import Storage

/// The exporter itself: what it is, what it uses, and whether it can store.
///
/// Reads the parts that send and receive. No other part reads it.
struct ProcessPart: Part {
    private let internet: InternetService
    private let targets: TargetService
    private let faults: FaultService
    private let uplinks: UplinkService
    private let speedTests: SpeedTestService
    private let queue: QueueService
    /// nil: what is to outlive a restart is only in memory.
    private let database: Database?
    /// nil: the statistics of the process are disabled.
    private let reader: ProcessReader?
    private let now: @Sendable () -> SuspendingClock.Instant

    init(
        _ context: PartContext,
        _ internet: InternetService,
        _ targets: TargetService,
        _ faults: FaultService,
        _ uplinks: UplinkService,
        _ speedTests: SpeedTestService,
        _ queue: QueueService,
        now: @escaping @Sendable () -> SuspendingClock.Instant = { .now }
    ) {
        (self.internet, self.targets, self.faults, self.uplinks) = (internet, targets, faults, uplinks)
        (self.speedTests, self.queue) = (speedTests, queue)
        let settings = context.settings
        database = settings.storagePath == nil ? nil : context.storage.database
        reader = settings.exporterMetrics ? ProcessReader(procfs: settings.path.roots.procfs) : nil
        self.now = now
    }

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
    private var traffic: [OwnTrafficMetrics.Component: ByteCounts] {
        [
            .internet: internet.statistics?.traffic ?? ByteCounts(), .targets: targets.monitor.traffic,
            .hops: faults.traffic, .uplinks: uplinks.traffic,
            .speedtest: speedTests.board.read(\.traffic), .queue: queue.traffic,
        ]
    }
}
