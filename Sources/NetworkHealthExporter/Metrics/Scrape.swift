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

    /// Has each collector do its work, and tells how that went.
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
                help: "How long a collector took to read its values from memory in this scrape.",
                samples: durations
            ),
            .gauge(
                "network_health_exporter_collector_success",
                help: "Whether a collector could read its values in this scrape.",
                samples: successes
            ),
        ]
    }
}
