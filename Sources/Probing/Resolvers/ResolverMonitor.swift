import Coordination
import Posix
package import Statistics

/// Asks each configured name server for itself, and keeps what they answer: the shell around `ResolverTable`.
///
/// A program asks the first one and waits for 5 s if it is dead: names are still found, and slowly. It sends only while it runs,
/// and once it has a path.
package final class ResolverMonitor: Sendable {
    /// Asks a server once for the IPv4 address of a name.
    typealias Ask =
        @Sendable (_ name: String, _ server: ProbeContext.Gateway, _ timeout: Duration) async -> ProbeResult

    /// The longest sleep; a change ends it earlier.
    private static let idleSleep = Duration.seconds(3600)

    let table: Locked<ResolverTable>
    private let ask: Ask
    private let counted = Locked(ByteCounts())
    private let stopwatch: Stopwatch
    private let alarm: Alarm

    /// - Parameters:
    ///   - configuration: what is asked, and how often.
    ///   - clock: measures the intervals; the default stops while the machine is suspended.
    ///   - ask: sends a question.
    init(
        _ configuration: ResolverPlan,
        clock: some Clock<Duration> = SuspendingClock(),
        ask: @escaping Ask
    ) {
        self.ask = ask
        table = Locked(ResolverTable(configuration))
        stopwatch = Stopwatch(clock)
        alarm = Alarm(stopwatch)
    }

    /// What is known about each server that is asked, in the order of use.
    package var reports: [ResolverReport] { table.read(\.reports) }

    /// What all questions cost, in bytes of IP packets.
    package var traffic: ByteCounts { counted.read { $0 } }

    /// Reports the path, and the name servers in the order of use, as they are configured.
    package func pathChanged(_ path: InternetPath, servers: [String]) {
        table.change(at: stopwatch, waking: alarm) { $0.change(path, servers: servers, at: $1) }
    }

    /// Reports what decides the intervals.
    package func modeChanged(_ mode: HopMode) {
        table.change(at: stopwatch, waking: alarm) { $0.change(mode, at: $1) }
    }

    /// Applies another configuration.
    package func apply(_ configuration: ResolverPlan) {
        table.change(at: stopwatch, waking: alarm) { $0.apply(configuration, at: $1) }
    }

    /// Asks until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let now = stopwatch.elapsed
                let (turns, next) = table.withLock { ($0.start(at: now), $0.next) }
                for turn in turns { group.addTask { await self.perform(turn) } }
                await alarm.sleep(until: next ?? now + Self.idleSleep)
            }
        }
    }

    private func perform(_ turn: ResolverTable.Turn) async {
        let start = ContinuousClock.now
        let result = await ask(turn.name, turn.server, ResolverTable.timeout)
        // The silence of a cancelled question is not one of the server.
        guard !Task.isCancelled, !result.isCancelled else { return }
        let end = ContinuousClock.now
        let header = UInt64(turn.server.address.family.headerBytes) + Self.udpHeader
        counted.withLock { counts in
            if result.sentBytes > 0 { counts.transmitted &+= result.sentBytes &+ header }
            if result.receivedBytes > 0 { counts.received &+= result.receivedBytes &+ header }
        }
        table.withLock { $0.finish(turn, ResolverTable.Outcome(result, after: end - start), at: end) }
        // The next question of this server may be due sooner than the sleep ends.
        alarm.wake()
    }

    /// Bytes (RFC 768).
    private static let udpHeader: UInt64 = 8
}

extension ResolverTable.Outcome {
    fileprivate init(_ result: ProbeResult, after time: Duration) {
        switch result.failure {
        // A name without such an address is answered, too.
        case nil, .rcode: self = .answered(after: time, isError: result.dns?.responseCode ?? 0 != 0)
        case .local: self = .unsent
        default: self = .silent
        }
    }
}
