import Coordination
import NetworkHealth
import NetworkPath
import Posix
import Probing
import Statistics

/// Asks the servers of `stun` again and again for the public address, and reports it, and the families in which it has changed.
final class PublicAddressWatch: Sendable {
    private struct State {
        var section: StunSection
        var changes = UplinkChanges()
        var watches: [AddressFamily: AddressWatch] = [:]
        var traffic = ByteCounts()
        /// In the last round; a server that is silent is not asked more often.
        var isAnswered = false
        /// Rounds in a row without an answer while the internet was reached.
        var silent: [AddressFamily: Int] = [:]
        /// What the next round does not wait for.
        var subject: Subject?
    }

    /// What answers are about.
    private struct Subject: Equatable {
        var uplink: Uplink?
        var isOffline = false
    }

    /// What a round has found.
    struct Findings {
        /// The families whose address is another one.
        var changed: [AddressFamily] = []
        /// The addresses of a family, empty where they are not known any more; left out while it is in doubt.
        var addresses: [AddressFamily: Set<IPAddress>] = [:]
    }

    /// So many silent rounds in a row, and an address is not known any more.
    private static let patience = 2

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

    /// Asks at once where the path or the state of the internet is another one.
    func follow(_ health: HealthState) {
        let subject = Subject(uplink: Uplink(health.path), isOffline: health.isOnline == false)
        let isOther = state.withLock { state in
            defer { state.subject = subject }
            return state.subject != subject && !state.section.servers.isEmpty
        }
        if isOther { alarm.wake() }
    }

    /// Asks until the task is cancelled.
    ///
    /// - Parameters:
    ///   - health: of this moment.
    ///   - onFindings: called after each round.
    func run(_ health: @Sendable () -> HealthState?, onFindings: (Findings, Uplink) -> Void) async {
        while !Task.isCancelled {
            if let now = health(), let uplink = Uplink(now.path) {
                let findings = await round(over: now.path, isOnline: now.isOnline == true) { health()?.path }
                onFindings(findings, uplink)
            }
            let (section, isClose) = state.read { state in
                (state.section, state.isAnswered && state.watches.values.contains { $0.isInDoubt || $0.isLearning })
            }
            let pause = section.servers.isEmpty ? .seconds(86_400) : isClose ? Self.pause : section.interval
            await alarm.sleep(until: stopwatch.elapsed + pause)
        }
    }

    /// Asks the servers of each family; `isOnline`: whether the internet is reached, else silence says nothing about the address.
    func round(over path: Path, isOnline: Bool = true, _ current: () -> Path?) async -> Findings {
        let servers = state.withLock { state in
            if state.changes.take(path) { (state.watches, state.silent) = ([:], [:]) }
            state.isAnswered = false
            return state.section.servers
        }
        var findings = Findings()
        // A question may cost money.
        guard let uplink = Uplink(path), !path.isExpensive, !path.isConstrained else {
            for family in AddressFamily.allCases { findings.addresses[family] = [] }
            return findings
        }
        for family in AddressFamily.allCases {
            var isAnswered = false
            for server in servers where server.ip.family == family {
                let answer = await ask(server)
                state.withLock { state in
                    state.traffic += answer.traffic
                    state.isAnswered = state.isAnswered || answer.address != nil
                }
                guard let address = answer.address else { continue }
                // What was sent over another path says nothing about this one.
                guard !Task.isCancelled, current().flatMap(Uplink.init) == uplink else { return findings }
                isAnswered = true
                // A host changes the rest of its IPv6 address itself.
                let network = address.clientNetwork
                let (isChanged, watch) = state.withLock { state in
                    state.silent[family] = 0
                    let isChanged = state.watches[family, default: AddressWatch()].take(network)
                    return (isChanged, state.watches[family])
                }
                if isChanged { findings.changed.append(family) }
                if let watch, !watch.isElsewhere { findings.addresses[family] = watch.known }
                break
            }
            guard !isAnswered, isOnline else { continue }
            let silent = state.withLock { state in
                state.silent[family, default: 0] += 1
                return state.silent[family] ?? 0
            }
            if silent >= Self.patience { findings.addresses[family] = [] }
        }
        return findings
    }
}
