import Foundation
import Lab
import PrometheusExposition
import Testing

/// What other people's parsers say about a scrape that has everything in it.
@Suite struct ReferenceParserTests {
    static var scrape: [MetricFamily] {
        var histogram = Histogram(bounds: [0.005, 0.1, 1, 60])
        for value in [0.001, 0.05, 0.5, 100] {
            histogram.observe(value)
        }
        let hostile = "a \"quoted\" \\ value\nwith a line # EOF \u{1}\t\r é 日本"
        return [
            .info("network_health_exporter_build_info", help: "Build.", labels: ["version": "1.0", "os": "linux"]),
            .gauge("network_health_connected", help: "Whether a path is there.", value: true),
            .gauge(
                "network_health_latency_seconds",
                help: "Latency, \"quoted\" and \\ escaped,\nin two lines.",
                samples: [Sample(labels: ["target": hostile], 1.25e-3), Sample(labels: ["target": ""], Double.nan)]
            ),
            .gauge(
                "network_health_limits",
                help: "Extremes.",
                samples: [
                    Sample(labels: ["n": "1"], Double.infinity), Sample(labels: ["n": "2"], -Double.infinity),
                    Sample(labels: ["n": "3"], Double.leastNonzeroMagnitude), Sample(labels: ["n": "4"], -0.0),
                    Sample(labels: ["n": "5"], 1e300),
                ]
            ),
            .counter(
                "network_health_device_receive_bytes_total",
                help: "Bytes.",
                samples: [Sample(labels: ["device": "eth0"], UInt64.max), Sample(labels: ["device": "wlan0"], 0)]
            ),
            .stateSet("network_health_quality", help: "Quality.", label: "quality", active: Quality.good),
            .histogram(
                "network_health_target_rtt_seconds",
                help: "Round trips.",
                samples: [
                    HistogramSample(labels: ["target": "dns"], histogram),
                    HistogramSample(labels: ["target": "api"], Histogram(bounds: histogram.bounds)),
                ]
            ),
        ]
    }

    /// Runs a program on a scrape and tells its exit status and all that it printed.
    static func run(
        _ arguments: [String],
        on families: [MetricFamily],
        as format: ExpositionFormat
    ) throws -> (status: Int32, output: String) {
        var encoder = ExpositionEncoder()
        let text = String(decoding: encoder.encode(families, as: format), as: UTF8.self)
        let outcome = try result(of: arguments, input: text)
        return (outcome.status, outcome.output + outcome.errors)
    }

    @Test(.timeLimit(.minutes(3))) func `promtool reports no problem`() throws {
        let result = try Self.run(["promtool", "check", "metrics"], on: Self.scrape, as: .text)
        #expect(result.output.isEmpty)
        #expect(result.status == 0)
    }

    @Test(.timeLimit(.minutes(3))) func `promtool reports a missing help`() throws {
        let families = [MetricFamily.gauge("network_health_milliseconds", help: "", value: 1)]
        let result = try Self.run(["promtool", "check", "metrics"], on: families, as: .text)
        #expect(result.output.contains("no help text"))
        #expect(result.status != 0)
    }

    @Test(.timeLimit(.minutes(3))) func `the strict OpenMetrics parser reads the same values back`() throws {
        let script = """
            import sys
            from prometheus_client.openmetrics.parser import text_string_to_metric_families
            text = sys.stdin.buffer.read().decode("utf-8")
            for family in text_string_to_metric_families(text):
                print(family.name, family.type, len(family.samples))
                for sample in family.samples:
                    if sample.labels.get("target", "").startswith("a "):
                        print(ascii(sample.labels["target"]), sample.value, ascii(family.documentation))
            """
        let result = try Self.run(["/usr/bin/python3", "-c", script], on: Self.scrape, as: .openMetrics)
        #expect(
            result.output == #"""
                network_health_exporter_build_info gauge 1
                network_health_connected gauge 1
                network_health_latency_seconds gauge 2
                'a "quoted" \\ value\nwith a line # EOF \x01\t\r \xe9 \u65e5\u672c' 0.00125 'Latency, "quoted" and \\ escaped,\nin two lines.'
                network_health_limits gauge 5
                network_health_device_receive_bytes counter 2
                network_health_quality gauge 3
                network_health_target_rtt_seconds histogram 14

                """#
        )
        #expect(result.status == 0)
    }
}
