import Coordination
import NetworkHealth
import NetworkPath
import Posix
import Probing
import Statistics

/// Asks the servers of `stun` again and again for the public address, and reports the families in which it has changed.
final class PublicAddressWatch: Sendable {
    private struct State {
        var section: StunSection
        var changes = UplinkChanges()
        var watches: [AddressFamily: AddressWatch] = [:]
        var traffic = ByteCounts()
        /// In the last round; a server that is silent is not asked more often.
        var isAnswered = false
    }

    /// Between two questions while an answer soon decides.
    private static let pause = Duration.seconds(2)

    private let ask: @Sendable (SocketAddress) async -> STUNClient.Answer
    private let state: Locked<State>
    private let alarm: Alarm
    private let stopwatch: Stopwatch

    /// - Parameters:
    ///   - section: of the configuration.
    ///   - clock: measures the intervals.
    ///   - ask: answers with the address that a server sees.
    init(
        _ section: StunSection,
        clock: some Clock<Duration> = SuspendingClock(),
        ask: @escaping @Sendable (SocketAddress) async -> STUNClient.Answer
    ) {
        self.ask = ask
        state = Locked(State(section: section))
        stopwatch = Stopwatch(clock)
        alarm = Alarm(stopwatch)
    }

    /// Bytes of IP packets.
    var traffic: ByteCounts { state.read(\.traffic) }

    func apply(_ section: StunSection) {
        let isOther = state.withLock { state in
            defer { state.section = section }
            return state.section != section
        }
        if isOther { alarm.wake() }
    }

    /// Asks until the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: of this moment.
    ///   - onChange: called for each family whose address is another one on the same path.
    func run(_ path: @Sendable () -> Path?, onChange: (AddressFamily) -> Void) async {
        while !Task.isCancelled {
            if let now = path() { for family in await round(over: now, path) { onChange(family) } }
            let (section, isClose) = state.read { state in
                (state.section, state.isAnswered && state.watches.values.contains { $0.isInDoubt || $0.isLearning })
            }
            let pause = section.servers.isEmpty ? .seconds(86_400) : isClose ? Self.pause : section.interval
            await alarm.sleep(until: stopwatch.elapsed + pause)
        }
    }

    /// - Returns: the families whose address has changed.
    func round(over path: Path, _ current: () -> Path?) async -> [AddressFamily] {
        let servers = state.withLock { state in
            if state.changes.take(path) { state.watches = [:] }
            state.isAnswered = false
            return state.section.servers
        }
        // A question may cost money.
        guard let uplink = Uplink(path), !path.isExpensive, !path.isConstrained else { return [] }
        var changed: [AddressFamily] = []
        for family in AddressFamily.allCases {
            for server in servers where server.ip.family == family {
                let answer = await ask(server)
                state.withLock { state in
                    state.traffic += answer.traffic
                    state.isAnswered = state.isAnswered || answer.address != nil
                }
                guard let address = answer.address else { continue }
                // What was sent over another path says nothing about this one.
                guard !Task.isCancelled, current().flatMap(Uplink.init) == uplink else { return changed }
                // A host changes the rest of its IPv6 address itself.
                let network = address.clientNetwork
                if state.withLock({ $0.watches[family, default: AddressWatch()].take(network) }) {
                    changed.append(family)
                }
                break
            }
        }
        return changed
    }
}
