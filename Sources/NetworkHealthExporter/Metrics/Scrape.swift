import PrometheusExposition

/// One pass over the collectors, in declaration order; one that fails is reported and does not fail the others.
struct Scrape: Sendable {
    let collectors: [Collector]

    func families() -> [MetricFamily] {
        let clock = ContinuousClock()
        var families: [MetricFamily] = []
        var durations: [Sample] = []
        var successes: [Sample] = []
        for collector in collectors {
            let began = clock.now
            let result = Result { try collector.families() }
            let labels: Labels = ["collector": collector.name]
            durations.append(Sample(labels: labels, began.duration(to: clock.now)))
            switch result {
            case .success(let collected):
                families += collected
                successes.append(Sample(labels: labels, true))
            case .failure:
                successes.append(Sample(labels: labels, false))
            }
        }
        return families + [
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
