import PrometheusExposition
import Testing

@Suite struct OpenMetricsFormatTests {
    @Test func `drops a counter's suffix in HELP and TYPE only, and ends with EOF`() {
        let family = MetricFamily.counter(
            "nhe_outages_total",
            help: "Outages.",
            samples: [Sample(labels: ["cause": "dns"], 3)]
        )
        #expect(
            printed([family], as: .openMetrics) == """
                # HELP nhe_outages Outages.
                # TYPE nhe_outages counter
                nhe_outages_total{cause="dns"} 3
                # EOF

                """
        )
    }

    @Test(arguments: [(ExpositionFormat.text, "untyped"), (.openMetrics, "unknown")])
    func `names the unknown type as the format does`(format: ExpositionFormat, name: String) {
        let family = MetricFamily.unknown("nhe_x", help: "X.", samples: [Sample(1)])
        #expect(printed([family], as: format).contains("# TYPE nhe_x \(name)\n"))
    }
}
