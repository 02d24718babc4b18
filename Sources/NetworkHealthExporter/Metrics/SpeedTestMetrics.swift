import FoundationEssentials
import PrometheusExposition
import SpeedTestCore

/// The scheduled speed tests: nothing here is measured by a scrape.
enum SpeedTestMetrics {
    /// Of the one way out that there is, whatever its device.
    private static let uplink = "default"

    static func families(_ facts: SpeedTestFacts?) -> [MetricFamily] {
        guard let facts else { return [] }
        return now(facts) + runs(facts.results) + values(facts.results) + loads(facts.results)
            + counters(facts) + budget(facts)
    }

    /// What tests found, in the order in which they were made, for a file that somebody else exposes.
    static func measured(_ records: [SpeedTestRecord]) -> [MetricFamily] {
        guard !records.isEmpty else { return [] }
        var results: [SpeedTestFacts.Results] = []
        for record in records {
            let server = record.document.server
            if let index = results.firstIndex(where: { $0.server == server }) {
                results[index].results.add(record)
            } else {
                results.append(SpeedTestFacts.Results(server: server, results: ServerResults(record)))
            }
        }
        return runs(results) + values(results) + loads(results)
    }

    private static func now(_ facts: SpeedTestFacts) -> [MetricFamily] {
        [
            .gauge(
                "network_health_speedtest_in_progress",
                help: "Whether a speed test is running in the background.",
                value: facts.isRunning
            ),
            .gauge(
                "network_health_speedtest_stale_after_seconds",
                help: "The age from which a background speed test is old: twice the longest gap of the schedule.",
                value: facts.staleAfter
            ),
            .gauge(
                "network_health_speedtest_next_run_timestamp_seconds",
                help: "When the schedule has the next speed test; gates may still skip it.",
                value: facts.nextRun?.timeIntervalSince1970
            ),
            .info(
                "network_health_speedtest_server_info",
                help:
                    "The configured speed-test servers, and the congestion control of the sender in the last download.",
                labels: facts.servers.map { server in
                    [
                        "server": server.name, "protocol": server.dialect, "host": server.host,
                        "congestion_control": server.congestionControl,
                    ]
                }
            ),
        ]
    }

    private static func runs(_ results: [SpeedTestFacts.Results]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_speedtest_up",
                help:
                    "Whether the last speed test against the server, made in the background, gave all it was asked for.",
                samples: results.samples { $0.last.failure == nil }
            ),
            .gauge(
                "network_health_speedtest_duration_seconds",
                help: "How long the last speed test took, made in the background.",
                samples: results.samples { $0.last.document.durationSeconds }
            ),
            .gauge(
                "network_health_speedtest_last_run_timestamp_seconds",
                help: "When the last speed test ended, made in the background.",
                samples: results.samples { $0.last.endedAt.timeIntervalSince1970 }
            ),
            .gauge(
                "network_health_speedtest_last_success_timestamp_seconds",
                help: "When the last speed test that gave all it was asked for ended.",
                samples: results.samples { $0.lastSuccess?.timeIntervalSince1970 }
            ),
        ]
    }

    private static func values(_ results: [SpeedTestFacts.Results]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_speedtest_download_bytes_per_second",
                help:
                    "Goodput of the last background download test that gave a value: HTTP body bytes, the mean after warm-up.",
                samples: results.samples { $0.transfers[.download]?.value.bytesPerSecond }
            ),
            .gauge(
                "network_health_speedtest_upload_bytes_per_second",
                help:
                    "Goodput of the last background upload test that gave a value, as the receiver counted or acknowledged it.",
                samples: results.samples { $0.transfers[.upload]?.value.bytesPerSecond }
            ),
            .gauge(
                "network_health_speedtest_idle_latency_seconds",
                help: "Median round trip to the speed-test server before the load, from the last background test.",
                samples: results.samples { $0.ping?.value.latencySeconds }
            ),
            .gauge(
                "network_health_speedtest_jitter_seconds",
                help: "Mean difference between one idle round trip and the next, from the last background test.",
                samples: results.samples { $0.ping?.value.jitterSeconds }
            ),
        ]
    }

    private static func loads(_ results: [SpeedTestFacts.Results]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_speedtest_loaded_latency_seconds",
                help: "Round trip while the direction was under load (upper quartile), from the last background test.",
                samples: results.directionSamples { $0.loadedLatencySeconds }
            ),
            .gauge(
                "network_health_speedtest_responsiveness_rpm",
                help: "Round trips a minute under load, from the last background test.",
                samples: results.directionSamples { $0.responsivenessRpm }
            ),
            .gauge(
                "network_health_speedtest_limited",
                help: "Whether something other than the path held the last background test's value down.",
                samples: results.flatMap { entry in
                    Direction.allCases.flatMap { direction in
                        entry.results.transfers[direction].map { limits($0.value, of: entry.server, direction) } ?? []
                    }
                }
            ),
        ]
    }

    private static func counters(_ facts: SpeedTestFacts) -> [MetricFamily] {
        [
            .counter(
                "network_health_speedtest_received_bytes_total",
                help: "Bytes that speed tests received, failed ones included.",
                value: facts.traffic.received
            ),
            .counter(
                "network_health_speedtest_transmitted_bytes_total",
                help: "Bytes that speed tests sent, failed ones included.",
                value: facts.traffic.transmitted
            ),
            .counter(
                "network_health_speedtest_runs_total",
                help: "Speed tests begun, one for each server that was tried.",
                value: facts.counters.runs
            ),
            .counter(
                "network_health_speedtest_failures_total",
                help: "Speed tests that did not give all they were asked for, by the first reason.",
                samples: SpeedTestFailure.Reason.allCases.map {
                    Sample(labels: ["reason": $0.rawValue], facts.counters.failures[$0, default: 0])
                }
            ),
            .counter(
                "network_health_speedtest_skipped_total",
                help: "Speed tests that were due or asked for and did not begin, by reason.",
                samples: SkipReason.allCases.map {
                    Sample(labels: ["reason": $0.rawValue], facts.counters.skipped[$0, default: 0])
                }
            ),
        ]
    }

    private static func budget(_ facts: SpeedTestFacts) -> [MetricFamily] {
        func samples(_ bytes: SpeedTestFacts.BudgetBytes) -> [Sample] {
            [("run", bytes.run), ("day", bytes.day), ("month", bytes.month)].map {
                Sample(labels: ["period": $0.0], $0.1)
            }
        }
        return [
            .gauge(
                "network_health_speedtest_budget_bytes",
                help: "Bytes that speed tests may move in a period.",
                samples: samples(facts.budget)
            ),
            .gauge(
                "network_health_speedtest_budget_remaining_bytes",
                help: "Bytes that speed tests may still move in the present period.",
                samples: samples(facts.remaining)
            ),
        ]
    }

    private static func limits(
        _ transfer: SpeedTestDocument.Transfer,
        of server: String,
        _ direction: Direction
    ) -> [Sample] {
        DirectionReport.Limit.allCases.map { limit in
            var labels = labels(server, direction)
            labels.append("reason", limit.rawValue)
            return Sample(labels: labels, transfer.limitedBy.contains(limit))
        }
    }

    fileprivate static func labels(_ server: String, _ direction: Direction? = nil) -> Labels {
        var labels: Labels = ["server": server, "uplink": uplink]
        if let direction { labels.append("direction", direction.rawValue) }
        return labels
    }
}

extension [SpeedTestFacts.Results] {
    fileprivate func samples<Value: MetricValueConvertible>(_ value: (ServerResults) -> Value?) -> [Sample] {
        compactMap { entry in
            value(entry.results).map { Sample(labels: SpeedTestMetrics.labels(entry.server), $0) }
        }
    }

    fileprivate func directionSamples(_ value: (SpeedTestDocument.Transfer) -> Double?) -> [Sample] {
        flatMap { entry in
            Direction.allCases.compactMap { direction in
                entry.results.transfers[direction].flatMap { value($0.value) }.map {
                    Sample(labels: SpeedTestMetrics.labels(entry.server, direction), $0)
                }
            }
        }
    }
}
