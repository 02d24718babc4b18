import Posix
import Probing
package import Statistics

/// Where packets waited under the load of a speed test: the rule of delay over the time of that load.
package enum QueueRule {
    /// A load lasts for some seconds, in which each point is probed once a second.
    static let fewestAnswers = 3
    /// The buffers fill in the first second.
    package static let warmUp = Duration.seconds(1)

    /// - Parameters:
    ///   - evidence: the hops and the servers, as far as they were probed.
    ///   - load: its time.
    ///   - rise: how much longer round trips to the test's server took than without load; nil: not measured.
    /// - Returns: nil where the way was not probed.
    package static func location(
        _ evidence: FaultEvidence,
        under load: Range<FaultEvidence.Instant>,
        rise: Duration?
    ) -> QueueLocation? {
        guard load.upperBound > load.lowerBound + warmUp else { return nil }
        let span = load.lowerBound + warmUp..<load.upperBound
        let scene = FaultScene(evidence, at: load.upperBound, quietSince: nil)
        let found = scene.ways.compactMap { location($0, in: scene, span, rise: rise) }
        let places = Set(found.filter { $0.place != nil })
        // Over one family the load may not pass the queue.
        if let place = places.first { return places.count == 1 ? place : .unknown }
        return found.contains(.unknown) ? .unknown : found.first
    }

    private static func location(
        _ way: Way,
        in scene: FaultScene,
        _ span: Range<FaultScene.Instant>,
        rise: Duration?
    ) -> QueueLocation? {
        let points = way.hops.compactMap { hop -> (distance: Int, measure: DelayMeasure)? in
            let measures = scene.points(hop, way.family).compactMap {
                DelayMeasure([($0.window, $0.minimum)], in: span, fewest: fewestAnswers)
            }
            return measures.min { $0.rise < $1.rise }.map { (hop.distance, $0) }
        }
        let servers = scene.servers(way.family).map { ($0.window, $0.minimum) }
        let end = DelayMeasure(servers, in: span, fewest: fewestAnswers)
        guard !points.isEmpty, let end = end ?? rise.map({ DelayMeasure(rise: $0 / .seconds(1)) }) else { return nil }
        switch StepSearch(points, end: end).result {
        case .found(let step):
            let places = way.places(from: step.start, to: step.end, .latency)
            return places.count == 1 ? places.first.flatMap { QueueLocation(place: $0) } ?? .unknown : .unknown
        case .undecided: return .unknown
        // The test's server is behind another way, or slow itself.
        case .none: return rise.map { $0 >= .seconds(DelayRule.noticed) } ?? false ? .unknown : .nowhere
        }
    }
}

extension QueueLocation {
    /// nil for a place at which a test says nothing about a queue.
    init?(place: FaultLocation) {
        guard let location = QueueLocation(rawValue: place.rawValue), location.place != nil else { return nil }
        self = location
    }

    /// The place of a fault that this is; nil: none, or not known.
    package var place: FaultLocation? {
        switch self {
        case .link: .link
        case .access: .access
        case .provider: .provider
        case .nowhere, .unknown: nil
        }
    }
}
