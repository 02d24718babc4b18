import Glibc
import Posix
import PrometheusExposition

/// How long the collectors of one scrape took, and which of them failed.
struct ScrapeReport: Sendable {
    /// Of the collectors in their order, in steps of 10 µs: with finer ones the text would be another in each scrape, for times
    /// that are negligible.
    private(set) var durations: [Int64] = []
    /// Of the collectors in their order.
    private(set) var successes: [Bool] = []
    /// When the last collector ended, which is when the next one begins; in nanoseconds.
    private var ended = now

    init(count: Int) {
        durations.reserveCapacity(count)
        successes.reserveCapacity(count)
    }

    /// Does the work of the next collector; nil if it failed.
    mutating func time<Value>(_ work: () throws -> Value) -> Value? {
        let value = try? work()
        let began = ended
        ended = Self.now
        durations.append((ended - began) / 10_000)
        successes.append(value != nil)
        return value
    }

    private static var now: Int64 { KernelClock.nanoseconds(of: CLOCK_MONOTONIC) ?? 0 }

    /// How long each of the collectors took.
    func durations(of collectors: [Collector]) -> MetricFamily {
        .gauge(
            "network_health_exporter_collector_duration_seconds",
            help:
                "Duration of a collector in this scrape, in steps of 10 microseconds; it reads from memory, and prints only what has changed.",
            samples: zip(collectors, durations).map { Sample(labels: $0.labels, Double($1) / 100_000) }
        )
    }

    /// Which of the collectors succeeded.
    func successes(of collectors: [Collector]) -> MetricFamily {
        .gauge(
            "network_health_exporter_collector_success",
            help: "Whether a collector succeeded in this scrape.",
            samples: zip(collectors, successes).map { Sample(labels: $0.labels, $1) }
        )
    }
}
