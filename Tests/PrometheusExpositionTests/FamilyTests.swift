import PrometheusExposition
import Testing

@Suite struct FamilyTests {
    @Test(arguments: [
        ("nhe_h", true), ("nhe_h_bucket", true), ("nhe_h_sum", true), ("nhe_h_count", true), ("nhe_h_total", false),
        ("nhe_h_bucke", false), ("nhe", false), ("nhe_hh", false), ("", false),
    ]) func `Has the sample names of a histogram`(name: String, expected: Bool) {
        let family = MetricFamily.histogram("nhe_h", help: "H.", value: Histogram(bounds: [1]))
        #expect(family.hasSample(named: name) == expected)
    }

    @Test(arguments: [("nhe_x_total", true), ("nhe_x", false), ("nhe_x_total_sum", false)])
    func `Has a counter by its complete name`(name: String, expected: Bool) {
        #expect(MetricFamily.counter("nhe_x_total", help: "X.", value: 1).hasSample(named: name) == expected)
    }

    @Test func `Returns the value of a label by its name`() {
        let labels = Labels([(name: "device", value: "eth0"), (name: "family", value: "ipv4")])
        #expect(labels == ["device": "eth0", "family": "ipv4"])
        #expect(labels["family"] == "ipv4")
        #expect(labels["other"] == nil)
    }

    @Test(arguments: ["", "\"", "\\", "\n", "\\n", ",b=", "\",b=\"y", "a\\\\\"=\"\n,b", "é=\u{1F1E8}\u{1F1ED}"])
    func `Returns a value with characters that are escaped`(value: String) {
        let labels: Labels = ["a": value, "b": "last"]
        #expect(labels["a"] == value)
        #expect(labels["b"] == "last")
    }

    @Test func `Adds up observations`() {
        var histogram = Histogram(bounds: [])
        histogram.observe(1.5)
        histogram.observe(2)
        #expect(histogram.sum == 3.5)
        #expect(histogram.count == 2)
    }

    @Test func `refuses bounds that do not ascend`() async {
        await #expect(processExitsWith: .failure) { _ = Histogram.Bounds([1, 1]) }
        await #expect(processExitsWith: .failure) { _ = Histogram.Bounds([1, .infinity]) }
    }
}
