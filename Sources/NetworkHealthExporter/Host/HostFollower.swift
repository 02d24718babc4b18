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
/// No event brings each latency, evidence of a fault, count of an uplink or result of a server: they are requested at each snapshot, and every 10 s. After 15 s without a
/// byte of the stream everything is unknown until the next snapshot, and connected is online; nothing else stops.
///
/// Reads the state of the path. The path, the internet, the speed tests, the faults and the uplinks read it.
final class HostFollower: Service, Part {
    private struct State {
        /// The newest report; nil before the first, and after a silence.
        var report: HostReport?
        /// When its latency and its faults were the host's.
        var measuredAt = ContinuousClock.now
        /// The newest, also after a silence.
        var uplinks: [UplinkReport] = []
        /// When they were the host's; nil: they are not known.
        var uplinksAt: ContinuousClock.Instant?
        /// nil before the first answer, after a silence, and where no test has run.
        var speedTests: SpeedTestDocument?
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
    var isUp: Bool { state.read { $0.report != nil } }

    /// The latency of the host's network; nil: unknown.
    var latency: NetworkLatency? {
        state.read { $0.measuredAt + HostClient.measurementAge > .now ? $0.report?.latency : nil }
    }

    /// What is wrong on the way from the host; nil: unknown.
    var faults: [Fault]? {
        state.read { $0.measuredAt + HostClient.measurementAge > .now ? $0.report?.faults : nil }
    }

    /// The place of its ongoing outage; nil: unknown, or there is none.
    var outagePlace: FaultLocation? {
        state.read { state in state.report?.outage.flatMap { $0.end == nil ? $0.place : nil } }
    }

    /// The uplinks of the host; without its answer their names alone are known.
    var uplinks: [UplinkReport] {
        state.read { state in
            let isKnown = state.uplinksAt.map { $0 + HostClient.measurementAge > .now } ?? false
            return isKnown ? state.uplinks : state.uplinks.map(\.silent)
        }
    }

    /// The speed tests of the host; nil: unknown, or none has run.
    var speedTests: SpeedTestDocument? { state.read { $0.speedTests } }

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
            take(await client.snapshot(), await client.speedTests())
        }
    }

    /// What was reported before this process was stopped may be over, and the stream brings changes only.
    func askAgain() {
        state.withLock { $0.report?.internet = nil }
        alarm.wake()
    }

    /// Takes what was requested; nil where there was no answer.
    func take(_ snapshot: SnapshotDocument?, _ speedTests: HostSpeedTests?) {
        let path = state.withLock { state -> InternetPath? in
            // A silence may have begun meanwhile.
            guard state.report != nil else { return nil }
            let isUnknown = state.report?.internet == nil
            if let snapshot {
                if isUnknown, let report = HostReport(snapshot, at: .now) {
                    state.report?.internet = report.internet
                    state.report?.internetCause = report.internetCause
                }
                state.report?.latency = NetworkLatency(snapshot)
                state.report?.faults = [Fault](snapshot)
                state.report?.outage = HostReport.Outage(snapshot, at: .now, now: .now)
                state.measuredAt = .now
                if let uplinks = [UplinkReport](snapshot, now: .now) {
                    (state.uplinks, state.uplinksAt) = (uplinks, .now)
                }
            }
            if let speedTests { state.speedTests = speedTests.document }
            return isUnknown ? state.path : nil
        }
        if let path { pathChanged(path) }
        uplinksChanged(())
    }

    /// Only those of a stream that brings snapshots count as a sign of life.
    private func noteBytes() {
        let isAlive = state.withLock { state in
            guard state.report != nil else { return false }
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
            let last = state.report
            (state.report, state.measuredAt, state.complaint) = (report, .now, nil)
            // An event does not bring them.
            if report.faults == nil { state.report?.faults = last?.faults }
            return last
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
        if isNew { host.health.attachInternet { [weak self] in self?.pathChanged($0) } }
    }

    private func adopt(_ report: HostReport?, instead last: HostReport?) {
        if report?.path != last?.path { host.path.adopt(report?.path) }
        if report?.quality != last?.quality { host.health.learn { $0.host = report?.quality } }
        if let path = state.read({ $0.path }) { pathChanged(path) }
    }

    /// Reports the host's internet as that of this path; called for each path and each report.
    private func pathChanged(_ path: InternetPath) {
        let report = state.withLock { state in
            state.path = path
            return state.report
        }
        guard let report, let internet = report.internet else { return }
        host.health.receive(
            InternetVerdict(
                state: internet,
                cause: report.internetCause,
                evidenceAt: report.outage.flatMap { $0.end == nil ? $0.since : nil } ?? .now,
                recoveredAt: report.outage?.end,
                generation: path.generation
            )
        )
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
            defer { (state.report, state.speedTests, state.uplinksAt, state.isAttached) = (nil, nil, nil, false) }
            return (state.report, state.isAttached)
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
