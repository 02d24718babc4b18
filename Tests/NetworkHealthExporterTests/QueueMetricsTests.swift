import OfflineQueue
import PrometheusExposition
import Testing

@testable import NetworkHealthExporter

struct QueueMetricsTests {
    @Test func `what a queue holds is absent while its file cannot be read`() {
        let queue = RequestQueue(path: "/nonexistent/queue.db", online: AsyncStream { $0.finish() })
        let families = QueueMetrics.families(.init(queue, disabled: 1))
        for name in ["pending_requests", "bytes", "oldest_request_age_seconds"] {
            let family = families.first { $0.name == "network_health_queue_\(name)" }
            #expect(family != nil && family?.samples.isEmpty == true)
        }
    }
}
