import Coordination
import PrometheusExposition

/// One subject of `/metrics`: reads what is in memory and returns its families.
///
/// ```swift
/// Collector("targets", .moving, of: { monitor.reports }, TargetMetrics.families)
/// ```
struct Collector: Sendable {
    /// How often what is printed changes.
    ///
    /// Collectors of one pace are printed together, as one part of the body, which is sent again as it is, and compressed,
    /// while none of them changes.
    enum Pace: Int, Sendable, CaseIterable {
        /// With the network's state, a configuration or a speed test.
        case steady
        /// With the time, with traffic or a probe.
        case moving
        /// With each scrape.
        case always
    }

    let name: String
    /// The name as the label of its duration and success.
    let labels: Labels
    let pace: Pace
    /// The families as values.
    let families: @Sendable () throws -> [MetricFamily]
    /// The families as text; nil while they are those of the last call with this format.
    let newText: @Sendable (ExpositionFormat) throws -> [UInt8]?

    /// A subject that is different in each scrape.
    init(_ name: String, _ families: @escaping @Sendable () throws -> [MetricFamily]) {
        self.name = name
        labels = ["collector": name]
        pace = .always
        self.families = families
        newText = { format in
            var encoder = ExpositionEncoder()
            return encoder.encodePart(try families(), as: format)
        }
    }

    /// A subject that follows from facts: printed anew only when these have changed, which most do not between scrapes.
    ///
    /// - Parameters:
    ///   - name: the label of its duration and success.
    ///   - pace: how often the facts change.
    ///   - facts: reads them.
    ///   - families: what follows from them.
    init<Facts: Sendable & Equatable>(
        _ name: String,
        _ pace: Pace = .steady,
        of facts: @escaping @Sendable () throws -> Facts,
        _ families: @escaping @Sendable (Facts) -> [MetricFamily]
    ) {
        self.name = name
        labels = ["collector": name]
        self.pace = pace
        self.families = { families(try facts()) }
        let printed = ExpositionFormat.allCases.map { _ in Locked<Facts?>(nil) }
        newText = { format in
            try printed[format == .text ? 0 : 1].withLock { printed in
                let last = printed.take()
                let facts = try facts()
                printed = facts
                if last == facts { return nil }
                var encoder = ExpositionEncoder()
                return encoder.encodePart(families(facts), as: format)
            }
        }
    }
}
