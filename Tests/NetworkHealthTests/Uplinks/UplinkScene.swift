import Foundation
import NetworkPath
import Posix
import Probing

@testable import NetworkHealth

/// A board, what the kernel and the path say, and the time in seconds.
struct UplinkScene {
    static let start = SuspendingClock.now

    var board: UplinkBoard
    var ways: [WayOut]
    /// The index of the way that the path leads over; nil: there is none.
    var used: Int?
    /// What is below the device that carries a tunnel.
    var port: Interface?
    /// nil: not known yet.
    var isOnline: Bool? = true
    var generation: UInt64 = 1
    /// The last outage of the host, and the last time in which this process did not run.
    var outage: Outage?
    var gap: DatedGap?
    private(set) var events: [UplinkEvent] = []

    init(_ ways: [WayOut], used: Int? = 0, rules: [UplinkRule] = []) {
        board = UplinkBoard(UplinkPlan(rules: rules, addresses: [SocketAddress("192.0.2.99:443")].compactMap(\.self)))
        (self.ways, self.used) = (ways, used)
    }

    static func at(_ second: Double) -> SuspendingClock.Instant { start + .seconds(second) }

    static func way(_ number: Int, tunnel: Bool = false, access: WayOut.Access = .bound([.ipv4: nil])) -> WayOut {
        WayOut(
            interface: Interface(
                name: tunnel ? "wg0" : "eth\(number)",
                index: number + 2,
                type: .wiredEthernet,
                isTunnel: tunnel
            ),
            routers: [.ipv4: tunnel ? nil : IPAddress("192.0.\(number).1")],
            access: access
        )
    }

    /// The state that the monitor would have.
    var health: HealthState {
        var path = Path(status: used == nil ? .unsatisfied : .satisfied)
        if used == nil { path.unsatisfiedReason = .linkDown }
        if let used {
            path.interface = ways[used].interface
            path.gateways = [ways[used].router.map { "\($0)" }].compactMap(\.self)
            if path.interface?.isTunnel == true {
                path.lowerInterfaces = [ways.first { !$0.interface.isTunnel }?.interface, port].compactMap(\.self)
                path.underlay = path.lowerInterfaces.last
            }
        }
        let state: InternetState = isOnline.map { $0 ? .online : .noInternet } ?? .unknown
        var health = HealthState(
            path: path,
            internet: used == nil
                ? nil
                : InternetVerdict(state: state, evidenceAt: Self.at(now), generation: verdictGeneration ?? generation),
            expectsVerdict: used != nil,
            timestamp: Date(timeIntervalSince1970: 1_700_000_000)
        )
        (health.generation, health.outage, health.gap) = (generation, outage, gap)
        return health
    }

    private(set) var now = 0.0
    /// Of the last verdict.
    private var verdictGeneration: UInt64?

    /// The path leads elsewhere, and the verdict is still about the one before.
    mutating func switchPath(at second: Double) {
        now = second
        verdictGeneration = verdictGeneration ?? generation
        generation += 1
        events += board.update(ways, health, at: Self.at(second))
    }

    /// Takes what is set, with a verdict about this path.
    mutating func update(at second: Double) {
        now = second
        verdictGeneration = nil
        events += board.update(ways, health, at: Self.at(second))
    }

    /// Lets time pass: each round that is due is answered at once where `works` says so.
    mutating func pass(to second: Double, works: (_ device: String) -> UplinkRound.Verdict) {
        while let due = board.deadline, due <= Self.at(second) {
            // Not by way of the seconds, which are rounded.
            let instant = max(Self.at(now), due)
            now = Self.start.duration(to: instant) / .seconds(1)
            events += board.update(at: instant)
            for turn in board.start(at: instant) {
                let verdict = works(turn.binding.device)
                let outcomes: [Duration?] = verdict == .answered ? [.milliseconds(20)] : [nil, nil]
                events += board.finish(turn, UplinkRound(verdict, outcomes: outcomes), at: instant)
            }
        }
        now = second
    }

    func report(_ name: String, at second: Double? = nil) -> UplinkReport? {
        board.reports(at: Self.at(second ?? now)).first { $0.name == name }
    }
}

extension UplinkRule {
    static func named(_ name: String, interface: String, _ change: (inout UplinkRule) -> Void = { _ in }) -> UplinkRule
    {
        var rule = UplinkRule(name)
        rule.match.interface = interface
        change(&rule)
        return rule
    }
}
