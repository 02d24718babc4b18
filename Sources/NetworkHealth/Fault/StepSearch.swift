/// What was measured at one point on the way.
protocol PointMeasure {
    /// Whether there is enough of it to name the stretch before it.
    var isSufficient: Bool { get }
    /// Whether it is worse than a nearer point, beyond chance; nil: than a way without a fault.
    func isWorse(than nearer: Self?) -> Bool
    /// Whether it is so much better than a nearer point that the nearer one is not used.
    func clears(_ nearer: Self) -> Bool
    /// Whether what the servers see is there already.
    func explains(_ end: Self) -> Bool
    /// Whether little of what the servers see is there: where some is, it is by chance that another point has more.
    func isSpared(_ end: Self) -> Bool
}

/// Finds the stretch of the way on which something gets worse: for the rules of delay and of loss.
///
/// A point that a later one clears is not used: routers limit their answers. Of the others the first one that has all that
/// the servers see ends the stretch, the one before it begins it and is well, and all later ones have to be worse than that
/// one, too.
struct StepSearch<Measure: PointMeasure> {
    struct Step {
        /// The distances, see `Way`.
        var start: Int
        var end: Int?
        /// nil: this host.
        var before: Measure?
        var after: Measure
    }

    enum Result {
        /// The servers see nothing.
        case none
        /// They do, and the points do not show where.
        case undecided(end: Measure)
        case found(Step)
    }

    let result: Result

    /// - Parameters:
    ///   - points: the measured ones by distance, the nearest first.
    ///   - end: the servers; nil: not measured, then nothing is found.
    init(_ points: [(distance: Int, measure: Measure)], end: Measure?) {
        guard let end, end.isWorse(than: nil) else {
            result = .none
            return
        }
        var used: [(distance: Int?, measure: Measure)] = [(nil, end)]
        for point in points.reversed() where !used.contains(where: { $0.measure.clears(point.measure) }) {
            used.insert((point.distance, point.measure), at: 0)
        }
        let index = used.firstIndex { $0.measure.explains(end) } ?? used.count - 1
        let before = index > 0 ? used[index - 1] : nil
        let after = used[index]
        guard after.measure.isSufficient, before?.measure.isSpared(end) ?? true,
            used[index...].allSatisfy({ $0.measure.isWorse(than: before?.measure) })
        else {
            result = .undecided(end: end)
            return
        }
        result = .found(
            Step(
                start: before?.distance ?? 0,
                end: after.distance,
                before: before?.measure,
                after: after.measure
            )
        )
    }
}
