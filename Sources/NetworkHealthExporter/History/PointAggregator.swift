import Posix
import Probing
import Statistics

/// The probes of one point on the way.
struct PointWindow: Sendable {
    var name: String
    var window: OutcomeWindow

    /// The router's pings, the routers by their distance, and the targets.
    static func all(_ hops: [HopReport], _ targets: [TargetReport]) -> [PointWindow] {
        let ways = hops.flatMap { report in
            report.hops.map {
                PointWindow(name: "hop \($0.distance) \(report.family.rawValue)", window: $0.window)
            }
        }
        return ways
            + targets.map {
                PointWindow(name: $0.target.isBuiltIn ? "router" : $0.target.name, window: $0.statistics.window)
            }
    }
}

/// Makes rows of the single probes in each half hour of the clock: a pure value that is given the time.
struct PointAggregator: Sendable {
    static let span = 1800.0
    /// Of a half hour; further points are left out.
    static let mostPoints = 10

    private struct Point {
        var latencies = RandomSample()
        var lost = 0
        var probes = 0
    }

    private var reader = WindowReader()
    /// When the half hour began, in seconds since 1970.
    private var at: Double?
    private var points: [String: Point] = [:]
    /// What was probed until then belongs to an outage.
    private var outageEnd: OutcomeWindow.Instant?

    /// Adds the probes since the last call.
    ///
    /// - Parameters:
    ///   - windows: all points.
    ///   - time: of the row, in seconds since 1970.
    ///   - end: the same time: newer probes come with the next call.
    ///   - now: the present, in which an outage goes on or not.
    ///   - isOffline: whether one does.
    /// - Returns: the rows of the half hour before, when that is over.
    mutating func add(
        _ windows: [PointWindow],
        at time: Double,
        until end: OutcomeWindow.Instant,
        now: OutcomeWindow.Instant,
        isOffline: Bool
    ) -> [PointRow] {
        let begin = (time / Self.span).rounded(.down) * Self.span
        let finished = at == begin ? [] : self.end()
        at = begin
        if isOffline { outageEnd = now }
        let new = reader.added(to: windows.map { ($0.name, $0.window) }, until: end)
        guard outageEnd.map({ end > $0 }) ?? true else { return finished }
        for (name, outcomes) in new where !outcomes.isEmpty && (points[name] != nil || points.count < Self.mostPoints) {
            for outcome in outcomes {
                points[name, default: Point()].probes += 1
                if let outcome {
                    points[name]?.latencies.add(outcome.seconds)
                } else {
                    points[name]?.lost += 1
                }
            }
        }
        return finished
    }

    /// Ends the current half hour.
    mutating func end() -> [PointRow] {
        defer { points = [:] }
        guard let at else { return [] }
        return points.sorted { $0.key < $1.key }.map { name, point in
            PointRow(
                at: at,
                point: name,
                median: point.latencies.values.sorted().median { ($0 + $1) / 2 },
                lost: point.lost,
                probes: point.probes
            )
        }
    }
}
