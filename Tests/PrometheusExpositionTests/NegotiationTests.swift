import PrometheusExposition
import Testing

@Suite struct NegotiationTests {
    /// Sent by Debian 12's Prometheus 2.42.
    static let debian = """
        application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
        text/plain;version=0.0.4;q=0.5,*/*;q=0.1
        """
    /// Sent by Prometheus 3.
    static let current = """
        application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
        application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,\
        text/plain;version=0.0.4;q=0.3,*/*;q=0.2
        """
    /// Sent by Prometheus 3 with native histograms.
    static let protobufFirst = """
        application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,\
        application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,\
        application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,\
        text/plain;version=0.0.4;q=0.2,*/*;q=0.1
        """
    /// Sent by Prometheus with native histograms and `scrape_protocols: [PrometheusProto, PrometheusText0.0.4]`.
    static let protobufThenText = """
        application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.3,\
        text/plain;version=0.0.4;q=0.2,*/*;q=0.1
        """
    static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

    @Test(arguments: [
        (debian, ExpositionFormat.openMetrics),
        (current, .openMetrics),
        (protobufFirst, .openMetrics),
        (protobufThenText, .text),
        (browser, .text),
        ("*/*", .text),
        ("text/*", .text),
        ("text/plain", .text),
        ("application/openmetrics-text", .openMetrics),
        ("Application/OpenMetrics-Text ; Version=\"1.0.0\" ; Q=0.5 , text/plain; q=0.4", .openMetrics),
        ("application/openmetrics-text; version=1.0.0; charset=utf-8", .openMetrics),
        ("text/plain;version=0.0.4;q=0.5,application/openmetrics-text;version=1.0.0;q=0.4", .text),
        ("text/plain;version=0.0.4;q=0.4,application/openmetrics-text;version=1.0.0;q=0.5", .openMetrics),
        ("text/plain;version=1.0.0,application/openmetrics-text;q=0.1", .openMetrics),
    ]) func `takes the format of the highest quality`(accept: String, expected: ExpositionFormat) {
        #expect(ExpositionFormat.negotiated(accept: accept) == expected)
    }

    @Test(arguments: [
        ("text/plain,application/openmetrics-text", ExpositionFormat.text),
        ("application/openmetrics-text,text/plain", .openMetrics),
        ("application/openmetrics-text;q=0.5,text/plain;q=0.5", .openMetrics),
        ("*/*,application/openmetrics-text", .text),
    ]) func `takes the earlier of two equals`(accept: String, expected: ExpositionFormat) {
        #expect(ExpositionFormat.negotiated(accept: accept) == expected)
    }

    @Test(arguments: [
        ("application/openmetrics-text;q=0", ExpositionFormat.text),
        ("application/openmetrics-text;q=0,*/*", .text),
        ("text/plain;q=0,application/openmetrics-text;q=0.1,*/*", .openMetrics),
        ("text/plain;q=0", .text),
    ]) func `honours a quality of 0`(accept: String, expected: ExpositionFormat) {
        #expect(ExpositionFormat.negotiated(accept: accept) == expected)
    }

    @Test(
        arguments: [
            nil, "", ",", ";;;", "q", "=", "application/openmetrics-text;q=nan", "application/openmetrics-text;q=2",
            "application/openmetrics-text;q=-1", "application/openmetrics-text;q=",
            "application/openmetrics-text;version=0.0.1",
            "application/openmetrics-text;version=2.0.0", "application/*", "openmetrics-text", "\u{0}\u{FFFD},👩‍👩‍👧;q=👍",
            String(repeating: ";", count: 10_000), String(repeating: "*/*,", count: 10_000),
        ] as [String?]
    ) func `falls back to text`(accept: String?) {
        #expect(ExpositionFormat.negotiated(accept: accept) == .text)
    }

    @Test func `Has the content types that Prometheus expects`() {
        #expect(ExpositionFormat.text.contentType == "text/plain; version=0.0.4; charset=utf-8")
        #expect(
            ExpositionFormat.openMetrics.contentType == "application/openmetrics-text; version=1.0.0; charset=utf-8"
        )
    }
}
