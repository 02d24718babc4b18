import NetworkHealth
import Probing
import Statistics

/// What is known about all uplinks, and what was sent through them: a value, with the time as a parameter.
struct UplinkState: Sendable {
    var board: UplinkBoard
    /// Bytes of IP packets.
    private(set) var traffic = ByteCounts()
    private var windows: [String: OutcomeWindow] = [:]

    init(_ plan: UplinkPlan) { board = UplinkBoard(plan) }

    /// The probes through each uplink, for the history.
    var points: [PointWindow] {
        windows.sorted { $0.key < $1.key }.map { PointWindow(name: PointWindow.uplink + $0.key, window: $0.value) }
    }

    /// Takes the result of a round, at the same time by both clocks.
    mutating func finish(
        _ turn: UplinkBoard.Turn,
        _ round: UplinkRound,
        at now: UplinkBoard.Instant,
        _ instant: OutcomeWindow.Instant = .now
    ) -> [UplinkEvent] {
        traffic += round.traffic
        // The name may be that of another device since.
        let isCurrent = board.isCurrent(turn)
        let events = board.finish(turn, round, at: now)
        let names = Set(board.reports(at: now).map(\.name))
        windows = windows.filter { names.contains($0.key) }
        // What is inconclusive may be no fault of the uplink.
        guard isCurrent, names.contains(turn.name), round.verdict != .inconclusive else { return events }
        for outcome in round.outcomes {
            windows[turn.name, default: OutcomeWindow(capacity: 100)].push(outcome, at: instant)
        }
        return events
    }
}
