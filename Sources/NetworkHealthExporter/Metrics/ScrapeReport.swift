import PrometheusExposition

/// How long the collectors of one scrape took, and which of them failed.
struct ScrapeReport: Sendable {
    private var entries: [(labels: Labels, microseconds: Int, isSuccessful: Bool)] = []

    /// Does the work of a collector; nil if it failed.
    mutating func time<Value>(_ collector: Collector, _ work: () throws -> Value) -> Value? {
        let began = ContinuousClock.now
        let value = try? work()
        let (seconds, attoseconds) = began.duration(to: .now).components
        let microseconds = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
        entries.append((collector.labels, microseconds, value != nil))
        return value
    }

    func hasSameSuccesses(as other: ScrapeReport) -> Bool {
        entries.elementsEqual(other.entries) { $0.isSuccessful == $1.isSuccessful }
    }

    var durations: MetricFamily {
        .gauge(
            "network_health_exporter_collector_duration_seconds",
            help:
                "Duration of a collector in this scrape, in whole microseconds; it reads from memory, and prints only what has changed.",
            samples: entries.map { Sample(labels: $0.labels, Double($0.microseconds) / 1_000_000) }
        )
    }

    var successes: MetricFamily {
        .gauge(
            "network_health_exporter_collector_success",
            help: "Whether a collector succeeded in this scrape.",
            samples: entries.map { Sample(labels: $0.labels, $0.isSuccessful) }
        )
    }
}
