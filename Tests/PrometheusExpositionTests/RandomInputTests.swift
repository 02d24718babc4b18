import PrometheusExposition
import Testing

@Suite struct RandomInputTests {
    /// Characters that mean something to an encoder or to a header, among others.
    static let alphabet = Array("\\\"\n\r\t\0{}=,;/*q.01 aZ\u{301}é日👩‍👩‍👧\u{2028}").map(String.init)

    static func text(upTo length: Int) -> String {
        (0..<Int.random(in: 0...length)).map { _ in alphabet.randomElement() ?? "" }.joined()
    }

    @Test func `Prints any label value and help in the memory that it reserves`() {
        for _ in 0..<500 {
            let labels: Labels = ["a": Self.text(upTo: 200), "b": Self.text(upTo: 5)]
            var histogram = Histogram(bounds: [-1.234567890123456e-100, 1.234567890123456e+100])
            histogram.observe(-.greatestFiniteMagnitude)
            let families: [MetricFamily] = [
                .gauge("g", help: Self.text(upTo: 300), samples: [Sample(labels: labels, -1.7976931348623157e+308)]),
                .counter("c_total", help: "", samples: [Sample(labels: labels, UInt64.max), Sample(Int64.min)]),
                .histogram("h", help: "", samples: [HistogramSample(labels: labels, histogram)]),
            ]
            for format in ExpositionFormat.allCases {
                // Each of the 8 samples takes one line whatever its labels hold, beside HELP, TYPE and EOF.
                let lines = printed(families, as: format).utf8.split(separator: UInt8(ascii: "\n"))
                #expect(lines.count == (format == .text ? 14 : 15))
            }
        }
    }

    @Test func `answers any Accept header`() {
        for _ in 0..<2000 {
            let header = "application/openmetrics-text;q=0.5," + Self.text(upTo: 60)
            #expect(ExpositionFormat.allCases.contains(.negotiated(accept: header)))
        }
    }
}
