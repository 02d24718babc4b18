import Coordination
import FoundationEssentials
import Logging
import MicroHTTP
import NetworkHealth
import Probing
import PrometheusExposition
import ServiceLifecycle
import Statistics
import Storage

/// Writes the history, and removes rows that are older than the retention.
///
/// Reads the state, and what the latency and that of the points on the way follow from. The status reads its outages and its uptime.
struct HistoryService: Service, Part {
    /// The intervals.
    struct Timings: Sendable {
        var sample = Duration.seconds(5)
        /// How old a measurement is when it is recorded: by then it is known whether it was made in an outage, which is confirmed
        /// 12 s after its first evidence at most, with the default `internet.timeout`.
        var settling = Duration.seconds(15)
        /// How long rows of latency and the monitored time wait: how often a memory card is written.
        ///
        /// A kill loses these rows, and the last minute of the current half hour; of the monitored time it loses a second, see `UptimeTail`.
        var flush = Duration.seconds(60)
        var prune = Duration.seconds(3600)
    }

    let recorder: HistoryRecorder
    let states: @Sendable () -> AsyncStream<HealthState>
    let latency: @Sendable () -> LatencySources
    /// The points on the way.
    var points: @Sendable () -> [PointWindow] = { [] }
    /// The uplinks, whose outages are stored while they are standbys.
    var uplinks: UplinkService?
    /// What was counted so far; nil before the first state.
    var outages: @Sendable () -> OutageTracker? = { nil }
    /// How long rows are kept.
    let section: Locked<HistorySection>
    /// nil where the rows of earlier processes are not known: then nothing is removed.
    let cutoff: HistoryCutoff?
    let logger: Logger
    /// What the tables take, counted once an hour; nil where that is not known.
    var bytes = Locked<Int64?>(nil)
    var settings = Settings()
    var timings = Timings()
    /// How long the process has been running.
    var running: @Sendable () -> Duration = Self.stopwatch()

    func run() async throws {
        recorder.database.keepTail { [recorder, outages] in
            recorder.tail(outages(), time: Date.now.timeIntervalSince1970)?.bytes
        }
        defer { recorder.database.keepTail(nil) }
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await state in states() { await recorder.receive(state, counted: outages()) } }
                group.addTask {
                    await every(timings.sample) {
                        sample(settling: timings.settling)
                        recorder.count(outages(), time: Date.now.timeIntervalSince1970)
                    }
                }
                if let uplinks {
                    group.addTask {
                        for await _ in uplinks.outageNews.values() { await recorder.receive(uplinks.takeOutages()) }
                    }
                }
                group.addTask { await settle() }
                group.addTask { await every(timings.prune, prune) }
            }
        }
        sample(settling: .zero)
        recorder.count(outages(), time: Date.now.timeIntervalSince1970)
        await recorder.finish()
    }

    func apply(_ configuration: Configuration) { section.withLock { $0 = configuration.history } }

    var collectors: [Collector] {
        [Collector("history", .moving, of: { bytes.withLock { $0 } }, Self.families)]
    }

    static func families(bytes: Int64?) -> [MetricFamily] {
        [
            .gauge(
                "network_health_history_bytes",
                help:
                    "Bytes of the history's tables in the file of --storage.path, without it in memory, counted at the start and once an hour.",
                value: bytes.map(Double.init)
            )
        ]
    }

    var routes: [Route] {
        let view = HistoryView(recorder: recorder)
        return [settings.route(.get, "/api/v1/history", "history", .waiting(view.answer))]
    }

    private func sample(settling: Duration) {
        let (time, end) = (
            Date.now.timeIntervalSince1970 - settling / .seconds(1), OutcomeWindow.Instant.now - settling
        )
        recorder.sample(latency(), at: time, now: end)
        // Nothing was observed before the start.
        if running() >= settling { recorder.sample(points(), at: time, until: end) }
    }

    /// For work that time alone makes due: rows are written together, and age.
    private func every(_ interval: Duration, _ body: @Sendable () async -> Void) async {
        // The pace of the work, for which there is no event.
        repeat { await body() } while (try? await Task.sleep(for: interval)) != nil
    }

    /// Writes what waits, at first more often: of a process that is killed soon, half of the time is known.
    private func settle() async {
        var pause = min(timings.sample, timings.flush)
        // The pace of the writes: each costs a commit to the disk.
        while (try? await Task.sleep(for: pause)) != nil {
            // With the ongoing outage of the same moment, so that the two agree after a kill.
            recorder.count(outages(), time: Date.now.timeIntervalSince1970)
            await recorder.flush()
            pause = min(pause * 2, timings.flush)
        }
    }

    private static func stopwatch() -> @Sendable () -> Duration {
        let stopwatch = Stopwatch(.continuous)
        return { stopwatch.elapsed }
    }

    @Sendable private func prune() async {
        let retention = HistoryRetention(database: recorder.database)
        // Here and not before the start, which it would delay: SQLite reads each page.
        let size = await retention.bytes()
        bytes.withLock { $0 = size }
        let now = cutoff?.time(now: Date.now.timeIntervalSince1970, running: running())
        guard let now else { return }
        do {
            try await retention.prune(section.withLock { $0 }, at: now)
        } catch {
            logger.warning("What is older than history.retention cannot be removed, trying again in an hour: \(error)")
        }
    }
}

extension HistoryService {
    init(
        _ context: PartContext,
        _ host: HostMonitor,
        _ targets: TargetService,
        _ internet: InternetService,
        _ faults: FaultService,
        _ uplinks: UplinkService
    ) {
        let (storage, logger) = (context.storage, context.logger)
        recorder = HistoryRecorder(database: storage.database, interrupted: storage.interrupted, logger: logger)
        states = host.health.changes
        latency = { internet.latencySources }
        points = { [hops = faults.hops] in PointWindow.all(hops.reports, targets.monitor.reports, uplinks.points) }
        self.uplinks = uplinks
        outages = { host.health.statistics?.outages }
        section = Locked(context.configuration.history)
        (cutoff, self.logger, settings) = (storage.cutoff, logger, context.settings)
    }
}
