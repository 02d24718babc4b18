import OfflineQueue
import PrometheusExposition

/// Requests that wait for the network, and what became of the others.
enum QueueMetrics {
    struct Facts: Sendable, Equatable {
        /// What it holds is unknown until its file has been read.
        var isOpen: Bool
        var statistics: QueueStatistics
        /// What was refused because the queue is off.
        var disabled: Int

        init(_ queue: RequestQueue, disabled: Int) {
            // In this order: once it is open, its statistics are complete.
            (isOpen, statistics) = (queue.isOpen, queue.statistics)
            self.disabled = disabled
        }
    }

    /// Every reason starts at 0.
    static func families(_ facts: Facts) -> [MetricFamily] {
        let (isOpen, queue) = (facts.isOpen, facts.statistics)
        return [
            .gauge(
                "network_health_queue_pending_requests",
                help: "Requests that wait for their delivery, or are being delivered.",
                value: isOpen ? queue.pending : nil
            ),
            .gauge(
                "network_health_queue_oldest_request_age_seconds",
                help: "The age of the oldest request in the queue.",
                value: queue.oldestAge.map { $0 / .seconds(1) }
            ),
            .gauge(
                "network_health_queue_bytes",
                help: "Bytes of the requests in the queue.",
                value: isOpen ? queue.bytes : nil
            ),
            .counter(
                "network_health_queue_enqueued_total",
                help: "Requests that were accepted and stored.",
                value: queue.enqueued
            ),
            .counter(
                "network_health_queue_delivered_total",
                help: "Requests that a server has answered with 2xx.",
                value: queue.delivered
            ),
            .counter(
                "network_health_queue_retries_total",
                help: "Tries that failed and are repeated, with an answer or without one.",
                value: queue.retries
            ),
            .counter(
                "network_health_queue_forbidden_addresses_total",
                help: "Tries that ended because the name of the host led to an address that is not allowed.",
                value: queue.forbiddenAddresses
            ),
            .counter(
                "network_health_queue_discarded_total",
                help: "Requests that left the queue without being delivered.",
                samples: DiscardReason.allCases.map {
                    Sample(labels: ["reason": $0.rawValue], queue.discarded[$0, default: 0])
                }
            ),
            .counter(
                "network_health_queue_rejected_total",
                help: "Requests that were not accepted.",
                samples: RejectionReason.allCases.map {
                    Sample(labels: ["reason": $0.rawValue], queue.rejected[$0, default: 0])
                } + [
                    Sample(labels: ["reason": "disabled"], facts.disabled)
                ]
            ),
        ]
    }
}
