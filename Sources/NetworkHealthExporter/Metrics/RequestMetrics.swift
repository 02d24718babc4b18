import Locking
import PrometheusExposition

/// Counts the answers given, by route and status.
final class RequestMetrics: Sendable {
    /// One series; a handful in all, so that a walk finds one faster than a hash.
    private struct Entry {
        var handler: String
        var code: Int
        var labels: Labels
        var count: UInt64
    }

    /// By handler and code.
    private let entries = Locked<[Entry]>([])

    /// Counts each of these from 0 for status 200.
    func declare(handlers: [String]) {
        for handler in handlers { add(0, handler: handler, code: 200) }
    }

    func count(handler: String, code: Int) { add(1, handler: handler, code: code) }

    private func add(_ number: UInt64, handler: String, code: Int) {
        entries.withLock { entries in
            if let index = entries.firstIndex(where: { $0.code == code && $0.handler == handler }) {
                entries[index].count += number
                return
            }
            let labels: Labels = ["handler": handler, "code": "\(code)"]
            let place = entries.firstIndex { ($0.handler, $0.code) > (handler, code) } ?? entries.endIndex
            entries.insert(Entry(handler: handler, code: code, labels: labels, count: number), at: place)
        }
    }

    func families() -> [MetricFamily] {
        let samples = entries.withLock { $0.map { Sample(labels: $0.labels, $0.count) } }
        return [
            .counter(
                "network_health_exporter_http_requests_total",
                help: "HTTP requests answered, by route and status.",
                samples: samples
            )
        ]
    }
}
