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

    @Test
    func `a queue has its requests, their bytes, the age of the oldest in seconds, and what became of the others`() {
        let queue = RequestQueue(path: "/nonexistent/queue.db", online: AsyncStream { $0.finish() })
        var facts = QueueMetrics.Facts(queue, disabled: 9)
        facts.isOpen = true
        facts.statistics = QueueStatistics()
        facts.statistics.pending = 2
        facts.statistics.bytes = 3000
        facts.statistics.oldestAge = .milliseconds(90_500)
        facts.statistics.enqueued = 4
        facts.statistics.delivered = 5
        facts.statistics.retries = 6
        facts.statistics.forbiddenAddresses = 7
        facts.statistics.discarded = [.expired: 8]
        facts.statistics.rejected = [.full: 10]
        #expect(
            printed(QueueMetrics.families(facts)).filter { !$0.hasSuffix(" 0") }
                == [
                    "pending_requests 2", "oldest_request_age_seconds 90.5", "bytes 3000", "enqueued_total 4",
                    "delivered_total 5", "retries_total 6", "forbidden_addresses_total 7",
                    #"discarded_total{reason="expired"} 8"#, #"rejected_total{reason="full"} 10"#,
                    #"rejected_total{reason="disabled"} 9"#,
                ].map { "network_health_queue_\($0)" }
        )
    }
}
