import Locking
import PrometheusExposition

/// Counts the answers given, by route and status.
final class RequestMetrics: Sendable {
    private struct Key: Hashable {
        var handler: String
        var code: Int
    }

    private let counts = Locked<[Key: UInt64]>([:])

    /// Counts each of these from 0 for status 200.
    func declare(handlers: [String]) {
        counts.withLock { counts in
            for handler in handlers { counts[Key(handler: handler, code: 200), default: 0] += 0 }
        }
    }

    func count(handler: String, code: Int) {
        counts.withLock { $0[Key(handler: handler, code: code), default: 0] += 1 }
    }

    func families() -> [MetricFamily] {
        let counts = self.counts.withLock { $0 }.sorted {
            ($0.key.handler, $0.key.code) < ($1.key.handler, $1.key.code)
        }
        return [
            .counter(
                "network_health_exporter_http_requests_total",
                help: "HTTP requests answered, by route and status.",
                samples: counts.map { Sample(labels: ["handler": $0.key.handler, "code": "\($0.key.code)"], $0.value) }
            )
        ]
    }
}
