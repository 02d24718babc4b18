import PrometheusExposition

/// The `process_*` families as the Prometheus client libraries define them.
enum ProcessMetrics {
    static func families(_ statistics: ProcessStatistics) -> [MetricFamily] {
        [
            .counter(
                "process_cpu_seconds_total",
                help: "Total user and system CPU time spent in seconds.",
                value: statistics.cpuSeconds
            ),
            .gauge(
                "process_max_fds",
                help: "Maximum number of open file descriptors.",
                value: statistics.maximumDescriptors
            ),
            .gauge("process_open_fds", help: "Number of open file descriptors.", value: statistics.openDescriptors),
            .gauge(
                "process_virtual_memory_bytes",
                help: "Virtual memory size in bytes.",
                value: statistics.virtualBytes
            ),
            .gauge(
                "process_virtual_memory_max_bytes",
                help: "Maximum amount of virtual memory available in bytes.",
                value: statistics.maximumVirtualBytes
            ),
            .gauge(
                "process_resident_memory_bytes",
                help: "Resident memory size in bytes.",
                value: statistics.residentBytes
            ),
            .gauge(
                "process_start_time_seconds",
                help: "Start time of the process since unix epoch in seconds.",
                value: statistics.startTime
            ),
            .counter(
                "process_network_receive_bytes_total",
                help: "Number of bytes received by the network namespace of the process.",
                value: statistics.receivedBytes
            ),
            .counter(
                "process_network_transmit_bytes_total",
                help: "Number of bytes sent by the network namespace of the process.",
                value: statistics.transmittedBytes
            ),
        ]
    }
}
