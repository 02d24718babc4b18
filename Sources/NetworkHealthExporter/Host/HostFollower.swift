import Coordination
import FoundationEssentials
import HTTPTransfer
import Logging
import NetworkHealth
import NetworkPath
import Probing
import ServiceLifecycle

/// Follows the event stream of the host's exporter, and adopts what only the host can know or should measure: the type and
/// cost of its path, the state of the internet, the faults, the uplinks, the quality, the latency and the speed.
///
/// No event brings each latency, evidence of a fault, count of an uplink or result of a server: they are requested at each
/// snapshot, and every 10 s. After 15 s without a byte of the stream everything is unknown until the next snapshot, and
/// connected is online; nothing else stops.
///
/// Reads the state of the path. The path, the internet, the speed tests, the faults and the uplinks read it.
final class HostFollower: Service, Part {
    private struct State {
        var host = FollowedHost()
        var lastByte = ContinuousClock.now
        /// The newest path; nil before the first.
        var path: InternetPath?
        /// Whether verdicts are expected: online is unknown until the first.
        var isAttached = false
        /// What was logged last.
        var complaint: String?
    }

    /// Called for each answer about the uplinks, and when they are not known any more.
    let uplinksChanged = Observers<Void>()
    private let host: HostMonitor
    private let client: HostClient
    private let logger: Logger
    private let state = Locked(State())
    private let stopwatch = Stopwatch(.continuous)
    private let alarm: Alarm
    /// One element for each piece of the stream.
    private let pieces = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// nil where no exporter is configured.
    ///
    /// - Parameters:
    ///   - section: the configuration of the exporter to follow.
    ///   - host: adopts the reports.
    ///   - logger: for changes.
    /// - Throws: `SystemError` where descriptors or threads have run out.
    init?(_ section: HostSection, host: HostMonitor, logger: Logger) throws {
        guard section.url != nil else { return nil }
        (self.host, self.logger) = (host, logger)
        client = try HostClient(section)
        alarm = Alarm(stopwatch)
        // Before the first path: connected must not be reported as online.
        attach()
    }

    /// Whether the host's exporter answers with snapshots of a host.
    var isUp: Bool { state.read { $0.host.report != nil } }

    /// The latency of the host's network; nil: unknown.
    var latency: NetworkLatency? { state.read { $0.host.latency } }

    /// What is wrong on the way from the host; nil: unknown.
    var faults: [Fault]? { state.read { $0.host.faults } }

    /// The place of its ongoing outage; nil: unknown, or there is none.
    var outagePlace: FaultLocation? {
        state.read { state in state.host.report?.outage.flatMap { $0.end == nil ? $0.place : nil } }
    }

    /// The uplinks of the host; without its answer their names alone are known.
    var uplinks: [UplinkReport] { state.read { $0.host.uplinks } }

    /// The speed tests of the host; nil: unknown, or none has run.
    var speedTests: SpeedTestDocument? { state.read { $0.host.speedTests } }

    func run() async throws {
        logger.info("Following the exporter of the host", metadata: ["url": "\(client.url)"])
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.follow() }
                group.addTask { await self.expire() }
                group.addTask { for await _ in self.host.path.resumes() { self.askAgain() } }
            }
        }
    }

    // MARK: The connection

    private func follow() async {
        while !Task.isCancelled {
            await connect()
            // The pause before the next connection; at random, since all containers of a host lose it at once.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 500...2500)))
        }
    }

    /// Reads one connection to its end, or until it is silent.
    private func connect() async {
        let begin = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.read() }
            group.addTask { await self.measure() }
            group.addTask { await self.listen(since: begin) }
            await group.next()
            group.cancelAll()
        }
    }

    private func read() async {
        let parser = Locked(ServerSentEventParser())
        do throws(TransferError) {
            let status = try await client.stream { bytes in
                for event in parser.withLock({ $0.take(bytes) }) where event.kind == .snapshot { self.take(event.data) }
                self.noteBytes()
            }
            if status != 200 { complain("it answers with status \(status)") }
        } catch {
            if !Task.isCancelled { complain(error.message) }
        }
    }

    /// Requests what no event brings, until the connection ends.
    private func measure() async {
        while !Task.isCancelled {
            await alarm.sleep(until: stopwatch.elapsed + HostClient.interval)
            guard isUp, !Task.isCancelled else { continue }
            let stops = state.read { $0.host.stops }
            take(await client.snapshot(), await client.speedTests(), requestedAfter: stops)
        }
    }

    /// After a stop of this process.
    func askAgain() {
        state.withLock { $0.host.noticeStop() }
        alarm.wake()
    }

    /// Takes what was requested; nil where there was no answer.
    ///
    /// - Parameters:
    ///   - snapshot: of the host's exporter.
    ///   - speedTests: those of the host.
    ///   - stops: how often this process was stopped before they were requested; nil: as often as until now.
    ///   - now: the time.
    func take(
        _ snapshot: SnapshotDocument?,
        _ speedTests: HostSpeedTests?,
        requestedAfter stops: UInt64? = nil,
        at now: SuspendingClock.Instant = .now
    ) {
        let isNew = state.withLock { state in
            state.host.take(snapshot, speedTests, requestedAfter: stops ?? state.host.stops, at: now)
        }
        if isNew { reportInternet(at: now) }
        uplinksChanged(())
    }

    /// Only those of a stream that brings snapshots count as a sign of life.
    private func noteBytes() {
        let isAlive = state.withLock { state in
            guard state.host.report != nil else { return false }
            state.lastByte = .now
            return true
        }
        if isAlive { pieces.continuation.yield() }
    }

    // MARK: What it reports

    func take(_ data: [UInt8]) {
        let text = String(decoding: data, as: UTF8.self)
        guard let snapshot = JSONDocument.decode(SnapshotDocument.self, from: text) else {
            return complain("its snapshots are not those of an exporter of this version")
        }
        guard let report = HostReport(snapshot, at: .now) else {
            lose()
            return complain("it is in a container itself, and does not see the host's devices")
        }
        let last = state.withLock { state in
            state.complaint = nil
            return state.host.take(report, at: .now)
        }
        if last == nil {
            logger.info(
                "The exporter of the host answers; its cost, internet, faults, uplinks, quality, latency and speed are adopted"
            )
        }
        alarm.wake()
        attach()
        adopt(report, instead: last)
    }

    private func attach() {
        let isNew = state.withLock { state in
            defer { state.isAttached = true }
            return !state.isAttached
        }
        guard isNew else { return }
        host.health.attachInternet { [weak self] path in
            self?.state.withLock { $0.path = path }
            self?.reportInternet()
        }
    }

    private func adopt(_ report: HostReport?, instead last: HostReport?) {
        if report?.path != last?.path { host.path.adopt(report?.path) }
        if report?.quality != last?.quality { host.health.learn { $0.host = report?.quality } }
        reportInternet()
    }

    /// Reports the host's internet as that of the path; called for each path and each report.
    private func reportInternet(at now: SuspendingClock.Instant = .now) {
        let verdict = state.read { state in state.path.flatMap { state.host.verdict(on: $0, at: now) } }
        if let verdict { host.health.receive(verdict) }
    }

    // MARK: Silence

    /// Returns when the host is silent, or the task is cancelled.
    ///
    /// Silence has no event: each byte that came meanwhile moves the end.
    private func listen(since begin: ContinuousClock.Instant) async {
        var end = begin + HostSilence.patience
        while (try? await Task.sleep(until: end, clock: .continuous)) != nil {
            let last = max(begin, state.read { $0.lastByte })
            guard let next = HostSilence.end(after: last, due: end, at: .now) else { return }
            end = next
        }
    }

    /// Forgets the report after a silence.
    private func expire() async {
        var heard = pieces.stream.makeAsyncIterator()
        while !Task.isCancelled {
            await listen(since: state.read { $0.lastByte })
            guard !Task.isCancelled else { return }
            lose()
            // An element may be left from before: then this is repeated once.
            await heard.next()
        }
    }

    func lose() {
        let (last, wasAttached) = state.withLock { state in
            defer { state.isAttached = false }
            return (state.host.lose(), state.isAttached)
        }
        guard wasAttached else { return }
        logger.warning(
            "The exporter of the host is silent: its cost, internet, faults, uplinks, quality, latency and speed are unknown"
        )
        adopt(nil, instead: last)
        host.health.detachInternet()
        uplinksChanged(())
    }

    /// Once for each reason in succession.
    private func complain(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.complaint = reason }
            return state.complaint != reason
        }
        if isNew { logger.warning("The exporter of the host cannot be followed: \(reason)") }
    }
}
