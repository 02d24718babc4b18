import FoundationEssentials
import HTTPTransfer
import PrometheusExposition
import SpeedTestCore
import Statistics

/// The scheduled speed tests; a scrape measures nothing.
enum SpeedTestMetrics {
    /// The state at one moment: while that is equal, the text is, too.
    struct Facts: Sendable, Equatable {
        var section: SpeedTestSection
        var isRunning: Bool
        var staleAfter: Duration
        var nextRun: Date?
        /// The congestion control of each configured server.
        var senders: [String?]
        var results: [SpeedTestResults.Values]
        var counters: SpeedTestCounters
        var traffic: ByteCounts
        var remaining: BudgetLedger.Remaining

        /// nil while no test is configured.
        ///
        /// `uplink`: the name of the current one.
        init?(_ state: SpeedTestState, on uplink: String, at now: Date = .now) {
            guard state.section.isActive else { return nil }
            section = state.section
            isRunning = state.isRunning
            staleAfter = state.staleAfter
            nextRun = state.nextRun
            senders = state.section.servers.map { server in
                let known = state.results.servers.last { $0.last.server == server.name }
                return known?.transfers[.download]?.value.congestionControl ?? known?.last.upload?.congestionControl
                    ?? server.congestionControl
            }
            results = state.results(on: uplink, at: now)
            counters = state.counters
            traffic = state.traffic
            remaining = state.remaining(at: now)
        }
    }

    static func families(_ facts: Facts?) -> [MetricFamily] {
        guard let facts else { return [] }
        return schedule(facts) + runs(facts.results) + values(facts.results) + loads(facts.results)
            + counters(facts) + budget(facts)
    }

    /// The own tests, or the results of the host's exporter, whose schedule and budget only it has.
    struct Shown: Sendable, Equatable {
        /// nil while no test is configured.
        var own: Facts?
        var adopted: [SpeedTestResults.Values]
    }

    /// The results alone, also of another exporter or for a file that one reads; nothing without a result.
    static func measured(_ results: [SpeedTestResults.Values]) -> [MetricFamily] {
        results.isEmpty ? [] : runs(results) + values(results) + loads(results)
    }

    private static func schedule(_ facts: Facts) -> [MetricFamily] {
        [
            .gauge(
                "network_health_speedtest_in_progress",
                help: "Whether a background speed test is running.",
                value: facts.isRunning
            ),
            .gauge(
                "network_health_speedtest_stale_after_seconds",
                help:
                    "Age from which a background speed test is stale: twice the longest gap of the schedule, or of the budget.",
                value: facts.staleAfter.seconds
            ),
            .gauge(
                "network_health_speedtest_next_run_timestamp_seconds",
                help: "Time of the next scheduled speed test; it may still be skipped.",
                value: facts.nextRun?.timeIntervalSince1970
            ),
            .info(
                "network_health_speedtest_server_info",
                help:
                    "Configured speed-test servers, with the congestion control of the sender in the last download, else in the last upload, else as configured.",
                labels: zip(facts.section.servers, facts.senders).map { server, sender in
                    [
                        "server": server.name, "protocol": server.dialect.rawValue,
                        "host": WebURL(server.url, schemes: WebURL.webSchemes)?.authority ?? "",
                        "congestion_control": sender ?? "",
                    ]
                }
            ),
        ]
    }

    private static func runs(_ results: [SpeedTestResults.Values]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_speedtest_success",
                help: "Whether the last background speed test against the server succeeded.",
                samples: results.samples { $0.last.failure == nil }
            ),
            .gauge(
                "network_health_speedtest_duration_seconds",
                help: "Duration of the last background speed test.",
                samples: results.samples { $0.last.duration.seconds.toMicroseconds }
            ),
            .gauge(
                "network_health_speedtest_last_run_timestamp_seconds",
                help: "End of the last background speed test, as Unix time.",
                samples: results.samples { $0.last.endedAt.timeIntervalSince1970 }
            ),
            .gauge(
                "network_health_speedtest_last_success_timestamp_seconds",
                help: "End of the last successful background speed test, as Unix time.",
                samples: results.samples { $0.lastSuccess?.timeIntervalSince1970 }
            ),
        ]
    }

    private static func values(_ results: [SpeedTestResults.Values]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_speedtest_download_bytes_per_second",
                help:
                    "Goodput of the last background download test with a result: the mean of HTTP body bytes after the warm-up.",
                samples: results.samples { $0.rates[.download]?.bytesPerSecond }
            ),
            .gauge(
                "network_health_speedtest_upload_bytes_per_second",
                help:
                    "Goodput of the last background upload test with a result, as counted or acknowledged by the receiver.",
                samples: results.samples { $0.rates[.upload]?.bytesPerSecond }
            ),
            .gauge(
                "network_health_speedtest_idle_latency_seconds",
                help: "Median round trip to the speed-test server without load, from the last background test.",
                samples: results.samples { $0.ping?.value.latency.seconds.toMicroseconds }
            ),
            .gauge(
                "network_health_speedtest_jitter_seconds",
                help: "Mean difference between consecutive idle round trips, from the last background test.",
                samples: results.samples { $0.ping?.value.jitter.seconds.toMicroseconds }
            ),
        ]
    }

    private static func loads(_ results: [SpeedTestResults.Values]) -> [MetricFamily] {
        [
            .gauge(
                "network_health_speedtest_loaded_latency_seconds",
                help: "Upper quartile of round trips under load (bufferbloat), from the last background test.",
                samples: results.directionSamples { $0.loadedLatency?.seconds.toMicroseconds }
            ),
            .gauge(
                "network_health_speedtest_responsiveness_rpm",
                help: "Round trips per minute under load, from the last background test.",
                samples: results.directionSamples { $0.responsiveness?.toFiveDigits }
            ),
            .gauge(
                "network_health_speedtest_uncertainty_ratio",
                help:
                    "Half the width of the 95 % interval of the rate of the last background test with a result, as a share of it.",
                samples: results.directionSamples { $0.uncertainty }
            ),
            .gauge(
                "network_health_speedtest_stable",
                help: "Whether the rate of the last background test with a result is known to 2 %.",
                samples: results.directionSamples { $0.uncertainty == nil ? nil : $0.isStable ? 1 : 0 }
            ),
            .gauge(
                "network_health_speedtest_queue_location",
                help: "Where packets waited under the load of the last background test: 1 for that place.",
                samples: results.flatMap { values in
                    Direction.allCases.flatMap { direction in
                        values.last[direction]?.queue.map { queue(at: $0, values, direction) } ?? []
                    }
                }
            ),
            .gauge(
                "network_health_speedtest_limited",
                help: "Whether something other than the path limited the result of the last background test.",
                samples: results.flatMap { values in
                    Direction.allCases.flatMap { direction in
                        values.transfers[direction].map { limits($0.value, of: values, direction) } ?? []
                    }
                }
            ),
        ]
    }

    private static func counters(_ facts: Facts) -> [MetricFamily] {
        [
            .counter(
                "network_health_speedtest_receive_bytes_total",
                help: "Bytes of IP packets that speed tests received, failed ones included.",
                value: facts.traffic.received
            ),
            .counter(
                "network_health_speedtest_transmit_bytes_total",
                help: "Bytes of IP packets that speed tests sent, failed ones included.",
                value: facts.traffic.transmitted
            ),
            .counter(
                "network_health_speedtest_runs_total",
                help: "Speed tests that began, one for each server.",
                value: facts.counters.runs
            ),
            .counter(
                "network_health_speedtest_failures_total",
                help: "Failed speed tests, by the first reason.",
                samples: SpeedTestFailure.Reason.allCases.map {
                    Sample(labels: ["reason": $0.rawValue], facts.counters.failures[$0, default: 0])
                }
            ),
            .counter(
                "network_health_speedtest_skipped_total",
                help: "Speed tests that were due or requested and did not begin, by reason.",
                samples: SkipReason.allCases.map {
                    Sample(labels: ["reason": $0.rawValue], facts.counters.skipped[$0, default: 0])
                }
            ),
        ]
    }

    private static func budget(_ facts: Facts) -> [MetricFamily] {
        func samples(_ bytes: BudgetLedger.Remaining) -> [Sample] {
            [("run", bytes.run), ("day", bytes.day), ("month", bytes.month)].map {
                Sample(labels: ["period": $0.0], $0.1)
            }
        }
        let budget = facts.section.budget
        return [
            .gauge(
                "network_health_speedtest_budget_bytes",
                help: "Maximum bytes of speed tests in a period.",
                samples: samples(.init(run: budget.perRun, day: budget.perDay, month: budget.perMonth))
            ),
            .gauge(
                "network_health_speedtest_budget_remaining_bytes",
                help: "Bytes that speed tests may still use in the current period.",
                samples: samples(facts.remaining)
            ),
        ]
    }

    private static func queue(
        at location: QueueLocation,
        _ values: SpeedTestResults.Values,
        _ direction: Direction
    ) -> [Sample] {
        QueueLocation.allCases.map { each in
            var labels = labels(values, direction)
            labels.append("location", each.rawValue)
            return Sample(labels: labels, each == location)
        }
    }

    private static func limits(
        _ transfer: DirectionReport,
        of values: SpeedTestResults.Values,
        _ direction: Direction
    ) -> [Sample] {
        DirectionReport.Limit.allCases.map { limit in
            var labels = labels(values, direction)
            labels.append("reason", limit.rawValue)
            return Sample(labels: labels, transfer.limits.contains(limit))
        }
    }

    fileprivate static func labels(_ values: SpeedTestResults.Values, _ direction: Direction? = nil) -> Labels {
        var labels: Labels = ["server": values.last.server, "uplink": values.label]
        if let direction { labels.append("direction", direction.rawValue) }
        return labels
    }
}

extension [SpeedTestResults.Values] {
    fileprivate func samples<Value: MetricValueConvertible>(_ value: (Element) -> Value?) -> [Sample] {
        compactMap { values in
            value(values).map { Sample(labels: SpeedTestMetrics.labels(values), $0) }
        }
    }

    fileprivate func directionSamples(_ value: (DirectionReport) -> Double?) -> [Sample] {
        flatMap { values in
            Direction.allCases.compactMap { direction in
                values.transfers[direction].flatMap { value($0.value) }.map {
                    Sample(labels: SpeedTestMetrics.labels(values, direction), $0)
                }
            }
        }
    }
}
