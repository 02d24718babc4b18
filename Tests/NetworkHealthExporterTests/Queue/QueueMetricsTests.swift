import PrometheusExposition
import Testing

@testable import NetworkHealthExporter
@testable import OfflineQueue

struct QueueMetricsTests {
    @Test func `what a queue holds is absent while its file cannot be read`() {
        let queue = RequestQueue(path: "/nonexistent/queue.db", online: AsyncStream { $0.finish() })
        let families = QueueMetrics.families(.init(queue, disabled: 1))
        for name in ["pending_requests", "bytes", "oldest_request_age_seconds"] {
            let family = families.first { $0.name == "network_health_queue_\(name)" }
            #expect(family != nil && family?.samples.isEmpty == true)
        }
    }

    @Test func `the age of the oldest request is in seconds`() {
        let queue = RequestQueue(path: "/nonexistent/queue.db", online: AsyncStream { $0.finish() })
        var facts = QueueMetrics.Facts(queue, disabled: 0)
        facts.statistics.oldestAge = .milliseconds(90_500)
        let family = QueueMetrics.families(facts).first { $0.name == "network_health_queue_oldest_request_age_seconds" }
        #expect(family?.samples.map(\.value) == [.double(90.5)])
    }
}
