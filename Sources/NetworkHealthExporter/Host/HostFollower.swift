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
/// snapshot, and every 10 s. After 15 s without a byte of the stream, or at once where a snapshot cannot be adopted, everything
/// is unknown until the next one, and connected is online; nothing else stops.
///
/// Reads the state of the path. The path, the internet, the speed tests, the faults and the uplinks read it.
final class HostFollower: Service, Part {
    private static let adopted = "cost, internet, faults, uplinks, quality, latency and speed"

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
        change { attach(&$0) }
    }

    /// Whether the host's exporter answers with snapshots of a host.
    var isUp: Bool { state.read { $0.host.report != nil } }

    /// Why it cannot be followed; nil: it can, or no reason is known.
    var complaint: String? { state.read(\.complaint) }

    /// When the stream has shown a sign of life.
    var lastByte: ContinuousClock.Instant { state.read(\.lastByte) }

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

    /// Reads one answer to the request for the stream, to its end.
    func read() async {
        state.withLock { $0.isFollowed = false }
        let (parser, hasSnapshot) = (Locked(ServerSentEventParser()), Locked(false))
        do throws(TransferError) {
            let status = try await client.stream { bytes in
                for event in parser.withLock({ $0.take(bytes) }) where event.kind == .snapshot {
                    hasSnapshot.withLock { $0 = true }
                    self.take(event.data)
                }
                self.noteBytes()
            }
            if status != 200 {
                complain("it answers with status \(status)")
            } else if !hasSnapshot.read({ $0 }) {
                complain("its answer has no snapshot")
            }
        } catch {
            // The messages of one kind differ by the milliseconds that the transfer took.
            if !Task.isCancelled { complain(error.message, as: error.reason.rawValue) }
        }
    }

    /// Requests what no event brings, until the connection ends.
    private func measure() async {
        while !Task.isCancelled {
            await alarm.sleep(until: stopwatch.elapsed + HostClient.interval)
            guard isUp, !Task.isCancelled else { continue }
            let stops = state.read { $0.host.stops }
            let speedTests = await client.speedTests()
            // Last, and taken at once: an event that came later would be replaced by it.
            take(await client.snapshot(), speedTests, requestedAfter: stops)
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
        change { state in
            let isNew = state.host.take(snapshot, speedTests, requestedAfter: stops ?? state.host.stops, at: now)
            if isNew { state.reportInternet(to: host, at: now) }
            state.outbox.append { [uplinksChanged] in uplinksChanged(()) }
        }
    }

    /// Only those of a stream that brings snapshots count as a sign of life.
    private func noteBytes() {
        let isAlive = state.withLock { state in
            if state.isFollowed { state.lastByte = .now }
            return state.isFollowed
        }
        if isAlive { pieces.continuation.yield() }
    }

    // MARK: What it reports

    func take(_ data: [UInt8]) {
        let text = String(decoding: data, as: UTF8.self)
        guard let snapshot = JSONDocument.decode(SnapshotDocument.self, from: text) else {
            return refuse("sends snapshots that are not those of an exporter of this version")
        }
        guard let report = HostReport(snapshot, at: .now) else {
            return refuse("is in a container itself, and does not see the host's devices")
        }
        change { state in
            (state.complaint, state.logged, state.isFollowed) = (nil, [], true)
            let last = state.host.take(report, at: .now)
            if last == nil {
                state.outbox.append { [logger] in
                    logger.info("The exporter of the host answers; its \(Self.adopted) are adopted")
                }
            }
            attach(&state)
            state.adopt(report, instead: last, by: host)
        }
        alarm.wake()
    }

    /// What it sends cannot be adopted.
    private func refuse(_ reason: String) {
        complain("it \(reason)", isLogged: lose(because: reason))
    }

    /// Changes the state, and reports what follows from it in the order of the changes.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        defer { state.deliver(\.outbox) }
        return state.withLock { state in body(&state) }
    }

    private func attach(_ state: inout State) {
        guard !state.isAttached else { return }
        state.isAttached = true
        state.outbox.append { [weak self, host] in
            host.health.attachInternet { [weak self] path in
                self?.change { state in
                    state.path = path
                    state.reportInternet(to: host, at: .now)
                }
            }
        }
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

    /// Forgets the report.
    ///
    /// - Parameter reason: for the log, as what the exporter does.
    /// - Returns: whether there was something to forget, which is logged.
    @discardableResult
    func lose(because reason: String = "is silent") -> Bool {
        change { state in
            state.isFollowed = false
            let last = state.host.lose()
            guard state.isAttached else { return false }
            // The path is known anew with the next report.
            (state.isAttached, state.path) = (false, nil)
            state.outbox.append { [logger] in
                logger.warning("The exporter of the host \(reason): its \(Self.adopted) are unknown")
            }
            state.adopt(nil, instead: last, by: host)
            state.outbox.append { [uplinksChanged, host] in
                host.health.detachInternet()
                uplinksChanged(())
            }
            return true
        }
    }

    /// - Parameters:
    ///   - reason: why it cannot be followed.
    ///   - kind: of the reason, each of which is logged once until it can be followed; nil: the reason itself.
    ///   - isLogged: whether the reason is in the log already.
    private func complain(_ reason: String, as kind: String? = nil, isLogged: Bool = false) {
        let isNew = state.withLock { state in
            state.complaint = reason
            return state.logged.insert(kind ?? reason).inserted && !isLogged
        }
        if isNew { logger.warning("The exporter of the host cannot be followed: \(reason)") }
    }
}
