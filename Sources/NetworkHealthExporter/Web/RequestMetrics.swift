import Coordination
import MicroHTTP
import PrometheusExposition

/// Counts connections, the answers given by route and status, and what a limit refused.
///
/// Reads no other part. The web server reports to it, and the event stream reports the readers that it refuses.
final class RequestMetrics: Part {
    /// One series; a handful in all, so that a walk finds one faster than a hash.
    private struct Entry {
        var handler: String
        var code: Int
        var labels: Labels
        var count: UInt64
    }

    /// What the connections of clients came to.
    struct Connections: Sendable, Equatable {
        fileprivate(set) var open = 0
        fileprivate(set) var rejected: [String: UInt64] = [:]
    }

    /// Of the event stream, whose readers have a limit of their own.
    private static let streams = "streams"
    private static let reasons = Server.Refusal.allCases.map(\.rawValue) + [streams]

    /// By handler and code.
    private let entries = Locked<[Entry]>([])
    private let counted = Locked(Connections())

    /// Counts each of these from 0 for status 200, and `/health` for the status of a requirement that is not met.
    func declare(handlers: [String]) {
        for handler in handlers { add(0, handler: handler, code: 200) }
        for handler in handlers where handler == HealthView.name { add(0, handler: handler, code: 503) }
    }

    func count(handler: String, code: Int) { add(1, handler: handler, code: code) }

    func count(_ event: Server.ConnectionEvent) {
        switch event {
        case .opened: counted.withLock { $0.open += 1 }
        case .closed: counted.withLock { $0.open -= 1 }
        case .refused(let refusal): reject(refusal.rawValue)
        }
    }

    /// Counts a reader of the event stream that was refused.
    @Sendable func rejectStream() { reject(Self.streams) }

    private func reject(_ reason: String) { counted.withLock { $0.rejected[reason, default: 0] += 1 } }

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

    /// The requests, which change with each scrape.
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

    var connections: Connections { counted.read { $0 } }

    var collectors: [Collector] {
        [
            Collector("connections", .moving, of: { self.connections }, Self.families),
            Collector("http") { self.families() },
        ]
    }

    static func families(_ connections: Connections) -> [MetricFamily] {
        [
            .gauge(
                "network_health_exporter_http_connections",
                help: "Open connections of HTTP clients.",
                samples: [Sample(connections.open)]
            ),
            .counter(
                "network_health_exporter_http_rejected_total",
                help:
                    "Connections and event streams refused by a limit (connections in total, connections from one address, descriptors of the process, readers of the event stream), and connections closed in favour of a newer one (evicted).",
                samples: reasons.map { Sample(labels: ["reason": $0], connections.rejected[$0, default: 0]) }
            ),
        ]
    }
}
