import PrometheusExposition
import Testing

@Suite("History: exposition") struct TimedExpositionTests {
    @Test func `Lines have times in seconds, with three decimals if needed`() {
        let family = MetricFamily.gauge("nhe_up", help: "Up.", samples: [])
        let samples = [
            TimedSample(Sample(1), at: 1_700_000_000_000),
            TimedSample(Sample(labels: ["a": "\"\n"], 0.5), at: 1_700_000_000_007),
            TimedSample(Sample(Double.nan), at: -1500), TimedSample(Sample(-1), at: .max),
            TimedSample(Sample(0), at: .min),
        ]
        let bytes =
            TimedExposition.header(of: family) + TimedExposition.lines(samples, of: family) + TimedExposition.end
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                # HELP nhe_up Up.
                # TYPE nhe_up gauge
                nhe_up 1 1700000000
                nhe_up{a="\\"\\n"} 0.5 1700000000.007
                nhe_up NaN -1.500
                nhe_up -1 9223372036854775.807
                nhe_up 0 -9223372036854775.808
                # EOF

                """
        )
    }

    @Test func `The reserved memory suffices for the longest numbers and labels`() {
        let family = MetricFamily.gauge("nhe_up", help: String(repeating: "\n", count: 100), samples: [])
        let labels: Labels = ["a": String(repeating: "\\", count: 100), "b": String(repeating: "\"", count: 100)]
        let sample = Sample(labels: labels, -1.2345678901234567e-300)
        #expect(
            TimedExposition.lines(Array(repeating: TimedSample(sample, at: .min), count: 100), of: family).count
                > 40_000
        )
        #expect(TimedExposition.header(of: family).count > 200)
    }
}
