import Glibc
import Locking
import Posix
import PrometheusExposition

/// One subject of `/metrics`: reads what is in memory and returns its families.
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
    ///   - revision: a number that differs from all earlier ones after the facts may have changed; nil: they are read, and compared, each time.
    ///   - facts: reads them.
    ///   - families: what follows from them.
    init<Facts: Sendable & Equatable>(
        _ name: String,
        _ pace: Pace = .steady,
        revision: (@Sendable () -> UInt64)? = nil,
        of facts: @escaping @Sendable () throws -> Facts,
        _ families: @escaping @Sendable (Facts) -> [MetricFamily]
    ) {
        self.name = name
        labels = ["collector": name]
        self.pace = pace
        self.families = { families(try facts()) }
        let printed = ExpositionFormat.allCases.map { _ in Locked<Printed<Facts>?>(nil) }
        newText = { format in
            // Before the facts: a change between the two is then noticed by the next scrape.
            let revision = revision?()
            return try printed[format == .text ? 0 : 1].withLock { printed in
                if let revision, printed?.revision == revision { return nil }
                let last = printed?.facts
                printed = nil
                let facts = try facts()
                printed = Printed(revision: revision, facts: facts)
                if last == facts { return nil }
                var encoder = ExpositionEncoder()
                return encoder.encodePart(families(facts), as: format)
            }
        }
    }

    /// What was printed last.
    private struct Printed<Facts: Sendable>: Sendable {
        var revision: UInt64?
        var facts: Facts
    }
}

/// The revision of what follows from the time: it grows every 10 ms, the greatest age of such a value in a scrape.
enum TimeRevision {
    static var current: UInt64 {
        UInt64((KernelClock.nanoseconds(of: CLOCK_MONOTONIC) ?? 0) / 10_000_000)
    }
}
