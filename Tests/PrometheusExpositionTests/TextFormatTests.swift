import PrometheusExposition
import Testing

/// What a family prints, as text.
func printed(_ families: [MetricFamily], as format: ExpositionFormat = .text) -> String {
    var encoder = ExpositionEncoder()
    return String(decoding: encoder.encode(families, as: format), as: UTF8.self)
}

enum Quality: String, CaseIterable {
    case good
    case poor
    case offline
}

@Suite struct TextFormatTests {
    @Test func `prints a gauge in one line of code`() {
        #expect(
            printed([.gauge("nhe_connected", help: "Whether there is a path.", value: true)]) == """
                # HELP nhe_connected Whether there is a path.
                # TYPE nhe_connected gauge
                nhe_connected 1

                """
        )
    }

    @Test func `keeps families and labels in the order given`() {
        let families: [MetricFamily] = [
            .gauge(
                "nhe_supports",
                help: "What the path carries.",
                samples: [
                    Sample(labels: ["family": "ipv6", "device": "eth0"], 1),
                    Sample(labels: ["family": "ipv4", "device": "eth0"], 0),
                ]
            ),
            .counter("nhe_events_total", help: "Events.", value: 7),
        ]
        #expect(
            printed(families) == """
                # HELP nhe_supports What the path carries.
                # TYPE nhe_supports gauge
                nhe_supports{family="ipv6",device="eth0"} 1
                nhe_supports{family="ipv4",device="eth0"} 0
                # HELP nhe_events_total Events.
                # TYPE nhe_events_total counter
                nhe_events_total 7

                """
        )
    }

    @Test func `prints nothing for a family without a series`() {
        let unknown: Double? = nil
        let none: Labels? = nil
        let histogram: Histogram? = nil
        let families: [MetricFamily] = [
            .gauge("nhe_latency_seconds", help: "Latency.", value: unknown),
            .counter("nhe_events_total", help: "Events.", value: unknown),
            .info("nhe_server_info", help: "Server.", labels: none),
            .histogram("nhe_rtt_seconds", help: "RTT.", value: histogram),
            .gauge("nhe_labelled", help: "None.", samples: []),
        ]
        #expect(!families.contains { !$0.isEmpty })
        #expect(printed(families).isEmpty)
        #expect(printed(families, as: .openMetrics) == "# EOF\n")
    }

    @Test func `prints a state set as one gauge for each state`() {
        let expected = """
            # HELP nhe_quality Quality.
            # TYPE nhe_quality gauge
            nhe_quality{quality="good"} 0
            nhe_quality{quality="poor"} 1
            nhe_quality{quality="offline"} 0

            """
        let fromCases = MetricFamily.stateSet("nhe_quality", help: "Quality.", label: "quality", active: Quality.poor)
        let fromNames = MetricFamily.stateSet(
            "nhe_quality",
            help: "Quality.",
            label: "quality",
            states: ["good", "poor", "offline"],
            active: "poor"
        )
        #expect(printed([fromCases]) == expected)
        #expect(fromNames == fromCases)
        #expect(printed([fromCases], as: .openMetrics) == expected + "# EOF\n")
    }

    @Test func `sets every state to 0 when none is active`() {
        let none: Quality? = nil
        let samples = Sample.stateSet(labels: ["family": "ipv4"], label: "state", active: none)
        #expect(samples.map(\.value) == [.unsigned(0), .unsigned(0), .unsigned(0)])
        #expect(samples.first?.labels == ["family": "ipv4", "state": "good"])
    }

    @Test func `prints information as a gauge of 1`() {
        let info = MetricFamily.info("nhe_build_info", help: "Build.", labels: ["version": "1.2", "os": "linux"])
        #expect(
            printed([info]) == """
                # HELP nhe_build_info Build.
                # TYPE nhe_build_info gauge
                nhe_build_info{version="1.2",os="linux"} 1

                """
        )
    }

    @Test func `prints cumulative buckets with bounds as floats`() {
        var histogram = Histogram(bounds: [0.1, 1, 60])
        for value in [0.05, 0.1, 0.5, 60, 61] {
            histogram.observe(value)
        }
        histogram.observe(.nan)
        let expected = """
            # HELP nhe_rtt_seconds Round trips.
            # TYPE nhe_rtt_seconds histogram
            nhe_rtt_seconds_bucket{target="dns",le="0.1"} 2
            nhe_rtt_seconds_bucket{target="dns",le="1.0"} 3
            nhe_rtt_seconds_bucket{target="dns",le="60.0"} 4
            nhe_rtt_seconds_bucket{target="dns",le="+Inf"} 5
            nhe_rtt_seconds_sum{target="dns"} 121.65
            nhe_rtt_seconds_count{target="dns"} 5

            """
        let family = MetricFamily.histogram(
            "nhe_rtt_seconds",
            help: "Round trips.",
            samples: [HistogramSample(labels: ["target": "dns"], histogram)]
        )
        #expect(printed([family]) == expected)
        #expect(printed([family], as: .openMetrics) == expected + "# EOF\n")
    }

    @Test func `prints a histogram without labels and counts durations in seconds`() {
        var histogram = Histogram(bounds: [0.5])
        histogram.observe(Duration.milliseconds(250))
        #expect(
            printed([.histogram("nhe_h_seconds", help: "H.", value: histogram)]) == """
                # HELP nhe_h_seconds H.
                # TYPE nhe_h_seconds histogram
                nhe_h_seconds_bucket{le="0.5"} 1
                nhe_h_seconds_bucket{le="+Inf"} 1
                nhe_h_seconds_sum 0.25
                nhe_h_seconds_count 1

                """
        )
    }

    @Test func `Reuses the encoder for each scrape`() {
        var encoder = ExpositionEncoder()
        let families = [MetricFamily.gauge("nhe_a", help: "A.", value: 1)]
        let first = encoder.encode(families, as: .text)
        #expect(encoder.encode(families, as: .text) == first)
    }
}
