import Probing
import Statistics

/// Where packets wait (docs/where.md, "Delay").
enum DelayRule {
    /// A rise over the best round trip, in seconds, and in median absolute deviations.
    static let minRise = 0.005
    static let minDeviations = 3.0
    /// How much of the servers' rise a point has to have, so that nothing behind it adds to it.
    static let wholeShare = 0.8
    /// How much more than a later point a nearer one may have.
    static let tolerance = 1.2
    /// A rise of the servers that is reported while its place is not known.
    static let noticed = 0.05
    /// Where some packets have less of the rise than this share, they do not wait in a queue.
    static let unqueuedShare = 0.2
    static let span = Duration.seconds(60)
    private static let fewestAnswers = 10
    private static let fewestServerAnswers = 5

    static func faults(in scene: FaultScene) -> [Fault] {
        scene.ways.flatMap { way -> [Fault] in
            let start = scene.recent(span)
            switch search(way, in: scene, since: start).result {
            case .none: return []
            case .found(let step): return [fault(step, on: way, in: scene)]
            case .undecided(let end) where end.rise >= noticed:
                let text = "The routers on the way do not show where: too few of them answer, or not alike."
                return [
                    scene.fault(.latency, at: [], [observation(end, nil, at: way.name(nil), in: scene)], missing: text)
                ]
            case .undecided: return []
            }
        } + destinations(in: scene)
    }

    static func search(_ way: Way, in scene: FaultScene, since start: FaultScene.Instant) -> StepSearch<DelayMeasure> {
        let begin = scene.troubleBegin(on: way) ?? start
        let points = way.hops.compactMap { hop -> (distance: Int, measure: DelayMeasure)? in
            // The least of times in trouble alone is not the best.
            guard hop.window.tally(before: begin).answers > 0 || hop.window.isFull else { return nil }
            let measures = scene.points(hop, way.family).compactMap {
                DelayMeasure([($0.window, $0.minimum)], since: start, fewest: fewestAnswers)
            }
            return measures.min { $0.rise < $1.rise }.map { (hop.distance, $0) }
        }
        let servers = scene.servers(way.family).map { ($0.window, $0.minimum) }
        return StepSearch(points, end: DelayMeasure(servers, since: start, fewest: fewestServerAnswers))
    }

    private static func fault(_ step: StepSearch<DelayMeasure>.Step, on way: Way, in scene: FaultScene) -> Fault {
        var places = way.places(from: step.start, to: step.end, .latency)
        if step.end == nil, scene.servers(way.family).count == 1 { places.insert(.destination) }
        var observations = [observation(step.after, step.before, at: way.name(step.end), in: scene)]
        if let before = step.before {
            observations.append(observation(before, nil, at: way.name(step.start), in: scene))
        }
        var missing = scene.ambiguity(places, way, from: step.start, to: step.end)
        // A queue delays each packet, a processor only those that find it busy.
        if places == [.link], step.after.least <= step.after.rise * unqueuedShare, let busy = scene.busyObservation {
            places = [.host]
            observations.append(busy)
        } else if places == [.link], !SharedQueue.isSeen(on: way, from: step.end, in: scene, since: scene.recent(span))
        {
            // A slow router alone decides nothing, nor with another queue behind it.
            (places, missing) = (
                [], "Your router may be slow itself: its delay and that of the next hop differ in time."
            )
        } else if scene.mayFill, !scene.isFilledByHost {
            (places, missing) = (
                [], "Whether this computer fills the line is not known: its speed has not been measured."
            )
        } else if let fill = scene.fill {
            observations.append(fill.observation(at: scene.now))
            if fill.isOwn { places = [.host] }
        }
        if places == [.access], let says = scene.foreignFill {
            observations.insert(FaultObservation(.state, at: scene.now, says: says), at: 0)
        }
        if places == [.link] { observations += LinkRule.hints(in: scene) }
        return scene.fault(.latency, at: places, observations, missing: missing)
    }

    static let foreign = "The line is full, and not by this computer: another device here, or your provider."
    static let foreignOrSlower = """
        The line is full, and this computer uses little of what it was measured to carry: another device fills it, or it \
        carries less now.
        """

    private static func observation(
        _ measure: DelayMeasure,
        _ before: DelayMeasure?,
        at point: String,
        in scene: FaultScene
    ) -> FaultObservation {
        FaultObservation(
            .delay,
            value: measure.rise,
            threshold: (before?.rise ?? 0) + measure.limit,
            at: scene.now,
            says: "The way to \(point), and back takes \(measure.rise.milliseconds) ms longer than at best."
        )
    }

    /// One server that is slow while the others are not.
    private static func destinations(in scene: FaultScene) -> [Fault] {
        scene.ways.compactMap { way in
            let start = scene.recent(span)
            let measured = scene.servers(way.family).compactMap { server in
                DelayMeasure([(server.window, server.minimum)], since: start, fewest: fewestServerAnswers).map {
                    (server.name, $0)
                }
            }
            let slow = measured.filter { $0.1.rise >= noticed && $0.1.isWorse(than: nil) }
            guard slow.count == 1, measured.count > 1,
                measured.allSatisfy({ $0.0 == slow[0].0 || !$0.1.isWorse(than: nil) })
            else { return nil }
            let says = observation(slow[0].1, nil, at: slow[0].0, in: scene)
            return Fault(.destination, .latency, since: scene.now, [says])
        }
    }
}

/// How much longer than at best a round trip takes, in seconds.
struct DelayMeasure: PointMeasure {
    /// The median, and the median absolute deviation from it.
    var rise: Double
    var deviation: Double
    /// The least one since the first that had half of the rise.
    var least: Double

    /// Of windows, each over its own minimum; nil with too few answers.
    init?(_ windows: [(window: OutcomeWindow, minimum: Duration?)], since start: OutcomeWindow.Instant, fewest: Int) {
        self.init(windows, fewest: fewest) { $0.newestValues(since: start) }
    }

    /// Of what was measured in a time.
    init?(_ windows: [(window: OutcomeWindow, minimum: Duration?)], in span: Range<OutcomeWindow.Instant>, fewest: Int)
    {
        self.init(windows, fewest: fewest) { window in
            window.timedValues(since: span.lowerBound).filter { $0.at < span.upperBound }.map(\.value)
        }
    }

    /// Of a rise that is known as a whole.
    init(rise: Double) { (self.rise, deviation, least) = (rise, 0, rise) }

    private init?(
        _ windows: [(window: OutcomeWindow, minimum: Duration?)],
        fewest: Int,
        _ values: (OutcomeWindow) -> [Duration]
    ) {
        let lists = windows.compactMap { window, minimum -> [Double]? in
            guard let least = minimum ?? window.newest().list.compactMap(\.self).min() else { return nil }
            return values(window).map { ($0 - least) / .seconds(1) }
        }
        let rises = lists.flatMap(\.self)
        guard rises.count >= fewest, let median = rises.median else { return nil }
        rise = median
        // Those before it began are no packets that pass it.
        least = lists.flatMap { $0.drop { $0 < median / 2 } }.min() ?? median
        deviation = rises.map { abs($0 - median) }.median ?? 0
    }

    var limit: Double { max(DelayRule.minRise, DelayRule.minDeviations * deviation) }
    var isSufficient: Bool { true }

    func isWorse(than nearer: DelayMeasure?) -> Bool { rise - (nearer?.rise ?? 0) >= limit }
    func clears(_ nearer: DelayMeasure) -> Bool { nearer.rise > rise * DelayRule.tolerance + DelayRule.minRise }
    func isSpared(_ end: DelayMeasure) -> Bool { rise < end.rise / 2 }
    func explains(_ end: DelayMeasure) -> Bool { rise >= end.rise * DelayRule.wholeShare }
}

extension Double {
    /// Of seconds, the whole milliseconds.
    fileprivate var milliseconds: Int { Int((self * 1000).rounded()) }
}
