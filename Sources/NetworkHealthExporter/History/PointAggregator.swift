import Posix
import Probing
import Statistics

/// The probes of one point on the way.
struct PointWindow: Sendable {
    var name: String
    var window: OutcomeWindow

    /// The first point: what `router` names.
    static let router = "router"
    /// Before the name of an uplink.
    static let uplink = "uplink "

    /// The router's pings, the first two routers of each family, the uplinks, the targets, and the further routers, each by its
    /// distance.
    static func all(_ hops: [HopReport], _ targets: [TargetReport], _ uplinks: [PointWindow] = []) -> [PointWindow] {
        func routers(_ areCounted: (HopReport.Hop) -> Bool) -> [PointWindow] {
            hops.flatMap { report in
                report.hops.filter(areCounted).map {
                    PointWindow(name: "hop \($0.distance) \(report.family.rawValue)", window: $0.window)
                }
            }
        }
        let own = targets.filter(\.target.isBuiltIn).map { PointWindow(name: router, window: $0.statistics.window) }
        let others = targets.filter { !$0.target.isBuiltIn }.map {
            PointWindow(name: $0.target.name, window: $0.statistics.window)
        }
        return own + routers { $0.distance <= 2 } + uplinks + others + routers { $0.distance > 2 }
    }
}

/// Makes rows of the single probes in each half hour of the clock: a pure value that is given the time.
struct PointAggregator: Sendable {
    static let span = 1800.0
    /// Of a half hour; further points are left out, the last ones in the order of the windows.
    static let mostPoints = 10

    private struct Point {
        var latencies = RandomSample()
        var lost = 0
        var probes = 0
    }

    /// Two calls with more time between them: the process did not run.
    private static let longestPause = Duration.seconds(60)

    private var reader = WindowReader()
    /// When the half hour began, or in it the first call, in seconds since 1970.
    private var at: Double?
    /// How much of it was observed.
    private var observed = Duration.zero
    private var points: [String: Point] = [:]
    /// The end of the last call.
    private var last: OutcomeWindow.Instant?
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
        let pause = last.map { $0.duration(to: end) }.flatMap {
            (Duration.zero...Self.longestPause).contains($0) ? $0 : nil
        }
        last = end
        var finished: [PointRow] = []
        if at.map({ !(begin..<begin + Self.span).contains($0) }) ?? true {
            finished = self.end()
            at = pause == nil ? time.rounded(.down) : begin
        }
        if isOffline { outageEnd = now }
        let new = reader.added(to: windows.map { ($0.name, $0.window) }, until: end)
        guard outageEnd.map({ end > $0 }) ?? true else { return finished }
        observed += pause ?? .zero
        let order = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1.0, $0) })
        for (name, outcomes) in new where !outcomes.isEmpty && makePlace(for: name, in: order) {
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

    /// Whether a point has one of the places; a point that is later in the order gives its own away.
    private mutating func makePlace(for name: String, in order: [String: Int]) -> Bool {
        guard points[name] == nil, points.count >= Self.mostPoints else { return true }
        func place(_ name: String) -> Int { order[name] ?? .max }
        guard let last = points.keys.max(by: { place($0) < place($1) }), place(last) > place(name) else { return false }
        points[last] = nil
        return true
    }

    /// Ends the current half hour.
    mutating func end() -> [PointRow] {
        defer { (points, observed, at) = ([:], .zero, nil) }
        return rows
    }

    /// Those of the current half hour so far.
    var rows: [PointRow] {
        guard let at else { return [] }
        let seconds = Int(min(max(1, (observed / .seconds(1)).rounded()), Self.span))
        return points.sorted { $0.key < $1.key }.map { name, point in
            PointRow(
                at: at,
                point: name,
                // As the table has it: a row on its way there and the same row from there are equal.
                median: point.latencies.values.median?.toMicroseconds,
                lost: point.lost,
                probes: point.probes,
                seconds: seconds
            )
        }
    }
}
