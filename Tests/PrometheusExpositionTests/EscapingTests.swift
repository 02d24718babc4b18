import PrometheusExposition
import Testing

@Suite struct EscapingTests {
    @Test(arguments: [
        ("plain", "plain"),
        ("", ""),
        (#"C:\temp"#, #"C:\\temp"#),
        (#"say "hi""#, #"say \"hi\""#),
        ("two\nlines", #"two\nlines"#),
        (#"\n"#, #"\\n"#),
        ("tab\tCR\rLF\r\nend", "tab\tCR\rLF\r\\nend"),
        ("{a=\"b\"} 1\n# EOF\n", #"{a=\"b\"} 1\n# EOF\n"#),
        ("Zürich 日本 👩‍👩‍👧 e\u{301}", "Zürich 日本 👩‍👩‍👧 e\u{301}"),
        ("\u{0}\u{1}\u{7F}\u{2028}", "\u{0}\u{1}\u{7F}\u{2028}"),
        (String(repeating: "\"", count: 5000), String(repeating: "\\\"", count: 5000)),
    ]) func `escapes a label value`(value: String, expected: String) {
        for format in ExpositionFormat.allCases {
            let family = MetricFamily.gauge("nhe_x", help: "X.", samples: [Sample(labels: ["l": value], 1)])
            #expect(printed([family], as: format).utf8.contains(sequence: "\nnhe_x{l=\"\(expected)\"} 1\n"))
        }
    }

    @Test func `Replaces bytes that are not UTF-8 by U+FFFD`() {
        let name = String(decoding: [0x65, 0xFF, 0x22] as [UInt8], as: UTF8.self)
        let family = MetricFamily.gauge("nhe_x", help: "X.", samples: [Sample(labels: ["l": name], 1)])
        #expect(printed([family]).contains("{l=\"e\u{FFFD}\\\"\"}"))
    }

    @Test func `escapes quotes in a histogram's labels beside its bound`() {
        let long = String(repeating: "\n", count: 3000)
        let family = MetricFamily.histogram(
            "nhe_h",
            help: "H.",
            samples: [HistogramSample(labels: ["l": long], Histogram(bounds: [1]))]
        )
        let escaped = String(repeating: "\\n", count: 3000)
        #expect(printed([family]).contains("nhe_h_bucket{l=\"\(escaped)\",le=\"1.0\"} 0\n"))
    }

    @Test(arguments: [
        (ExpositionFormat.text, #"a "quote", a \\ and\na line"#),
        (.openMetrics, #"a \"quote\", a \\ and\na line"#),
    ]) func `escapes help as the format asks`(format: ExpositionFormat, expected: String) {
        let family = MetricFamily.gauge("nhe_x", help: "a \"quote\", a \\ and\na line", value: 1)
        #expect(printed([family], as: format).hasPrefix("# HELP nhe_x \(expected)\n"))
    }

    @Test(arguments: [
        ("device", true), ("_x9", true), ("", false), ("9x", false), ("a-b", false), ("__name__", false),
        ("a:b", false),
        ("é", false), ("a b", false),
    ]) func `Recognises a valid label name`(name: String, isValid: Bool) {
        #expect(Labels.isValidName(name) == isValid)
    }
}

extension String.UTF8View {
    /// Whether the bytes occur; `String.contains` would compare by canonical equivalence and join CR with LF.
    func contains(sequence text: String) -> Bool {
        let all = Array(self)
        let part = Array(text.utf8)
        return all.indices.contains { all[$0...].starts(with: part) }
    }
}
