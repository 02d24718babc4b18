import Posix

/// What is sent and read every 1.8 s while the internet is not reachable, so that the end of an outage is seen at once.
struct Pulse: Sendable, Equatable {
    /// nil: nothing is sent.
    var beacon: Beacon?
    /// The routers of the path, whose entries the kernel is asked for.
    var gateways: [ProbeContext.Gateway] = []

    /// One packet of at most 80 bytes over IPv4 with the default configuration.
    enum Beacon: Sendable, Equatable {
        /// An echo request to a literal address; a TCP handshake where the kernel permits no ICMP.
        case literal(IPAddress)
        /// A query for a name to a name server, where addresses answer and names do not.
        case query(String, IPAddress)
    }

    /// What reports its answer; nil without a beacon.
    var source: RoundTriggers.Source? {
        switch beacon {
        case nil: nil
        case .literal(let address): .beacon(address.family)
        case .query: .nameServer
        }
    }

    /// From one pulse to the next: a little short of 2 s, so that two rounds, 1 s apart, end within 3 s of a repair.
    static let interval = Duration.milliseconds(1800)
    /// While the kernel does not know the hardware address of the router.
    ///
    /// It asks three times, a second apart, and drops what waits for the answer a second later: a beacon of then says nothing
    /// about a repair after the third question. None of them has left, so that more of them cost nothing but questions.
    static let searchInterval = Duration.milliseconds(1100)
    /// How long the beacon waits: shorter than the second SYN of a handshake would take.
    static let timeout = Duration.milliseconds(950)
}

extension Pulse {
    /// - Parameters:
    ///   - number: counts the pulses: families and name servers take turns.
    ///   - state: of the internet.
    ///   - path: an expensive or constrained one carries no beacon.
    ///   - configuration: has the literals and the names.
    init(_ number: Int, while state: InternetState, over path: InternetPath, _ configuration: InternetConfiguration) {
        gateways = path.gateways
        guard !path.isExpensive, !path.isConstrained else { return }
        if state == .dnsBroken {
            let servers = path.nameservers
            guard !servers.isEmpty, let name = configuration.shortestName else { return }
            beacon = .query(name, servers[abs(number % servers.count)])
        } else {
            let families = AddressFamily.allCases.filter(path.families.contains)
            let literals = families.compactMap { family in configuration.literals.first { $0.ip.family == family }?.ip }
            guard !literals.isEmpty else { return }
            beacon = .literal(literals[abs(number % literals.count)])
        }
    }
}

extension InternetConfiguration {
    /// The shortest name among the hosts of the checks; nil: there are only addresses.
    package var shortestName: String? {
        (probes.map(\.url) + https).compactMap(Self.host).filter { IPAddress($0) == nil }.min { $0.count < $1.count }
    }
}

/// When the pulses are due: at once when an outage is found, then at their interval until it is over.
struct PulseSchedule: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// nil while the internet is reachable, or its state is unknown.
    private(set) var dueAt: Instant?
    /// When they began: traffic before says nothing about the end of the outage.
    private(set) var since: Instant?
    /// When the last one was taken.
    private var lastAt: Instant?
    private var count = 0

    /// - Returns: whether an outage was found.
    mutating func follow(isOffline: Bool, at now: Instant) -> Bool {
        guard isOffline != (since != nil) else { return false }
        (dueAt, since) = isOffline ? (now, now) : (nil, nil)
        return isOffline
    }

    /// The number of the pulse that is due now; nil: none is.
    mutating func take(at now: Instant) -> Int? {
        guard let dueAt, dueAt <= now else { return nil }
        self.dueAt = now.advanced(by: Pulse.interval)
        lastAt = now
        count &+= 1
        return count
    }

    /// The kernel does not know the hardware address of the router.
    mutating func foundNoRouter() {
        guard let dueAt, let lastAt else { return }
        self.dueAt = min(dueAt, lastAt.advanced(by: Pulse.searchInterval))
    }
}
