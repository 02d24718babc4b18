import Locking
import PrometheusExposition

/// One subject of `/metrics`: reads what is in memory and returns its families.
struct Collector: Sendable {
    let name: String
    /// The name as the label of its duration and success.
    let labels: Labels
    /// The families as values.
    let families: @Sendable () throws -> [MetricFamily]
    /// The families as a part of an exposition.
    let part: @Sendable (ExpositionFormat) throws -> [UInt8]

    /// A subject that is different in each scrape.
    init(_ name: String, _ families: @escaping @Sendable () throws -> [MetricFamily]) {
        self.name = name
        labels = ["collector": name]
        self.families = families
        part = { format in
            var encoder = ExpositionEncoder()
            return encoder.encodePart(try families(), as: format)
        }
    }

    /// A subject that follows from facts: printed anew only when these have changed, which most do not between scrapes.
    init<Facts: Sendable & Equatable>(
        _ name: String,
        of facts: @escaping @Sendable () throws -> Facts,
        _ families: @escaping @Sendable (Facts) -> [MetricFamily]
    ) {
        self.name = name
        labels = ["collector": name]
        self.families = { families(try facts()) }
        let printed = Locked<[ExpositionFormat: Printed<Facts>]>([:])
        part = { format in
            let facts = try facts()
            return printed.withLock { printed in
                if let last = printed[format], last.facts == facts { return last.part }
                var encoder = ExpositionEncoder()
                let part = encoder.encodePart(families(facts), as: format)
                printed[format] = Printed(facts: facts, part: part)
                return part
            }
        }
    }

    /// What was printed of which facts.
    private struct Printed<Facts: Sendable>: Sendable {
        var facts: Facts
        var part: [UInt8]
    }
}
