import Locking
import PrometheusExposition

/// One pass over the collectors, in declaration order; one that fails is reported and does not fail the others.
struct Scrape: Sendable {
    let collectors: [Collector]

    /// Everything, as the bytes of an exposition.
    func exposition(as format: ExpositionFormat) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32_768)
        let report = pass { bytes += try $0.part(format) }
        var encoder = ExpositionEncoder()
        bytes += encoder.encode(report, as: format)
        return bytes
    }

    /// Everything, as values.
    func families() -> [MetricFamily] {
        var families: [MetricFamily] = []
        let report = pass { families += try $0.families() }
        return families + report
    }

    /// Runs `work` for each collector, and returns the families about its duration and success.
    private func pass(_ work: (Collector) throws -> Void) -> [MetricFamily] {
        var durations: [Sample] = []
        var successes: [Sample] = []
        for collector in collectors {
            let began = ContinuousClock.now
            let isSuccessful = (try? work(collector)) != nil
            durations.append(Sample(labels: collector.labels, began.duration(to: .now)))
            successes.append(Sample(labels: collector.labels, isSuccessful))
        }
        return [
            .gauge(
                "network_health_exporter_collector_duration_seconds",
                help: "Duration of a collector in this scrape; it reads from memory.",
                samples: durations
            ),
            .gauge(
                "network_health_exporter_collector_success",
                help: "Whether a collector succeeded in this scrape.",
                samples: successes
            ),
        ]
    }
}

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
