import HTTPTransfer
import Probing
import PrometheusExposition
import StrictYAML

extension HTTPProbe: ProbeModule {
    static var addresses: YAMLType<String> { .url(["http", "https"]) }

    static var keys: [YAMLKey<HTTPProbe>] {
        [
            .key("method", \.method, .oneOf),
            .section(
                "expect",
                \.self,
                [
                    .key("status", \.expectedStatus, .oneOrMore(of: .httpStatus)),
                    .key("body_regex", \.bodyPattern, .bodyPattern),
                ],
                complete: { (probe, map) throws(YAMLError) in
                    guard probe.bodyPattern != nil, probe.method == .head else { return }
                    throw map.error("expected none, for an answer to HEAD has no body", at: "body_regex")
                }
            ),
            .key("headers", \.headers, .headers),
        ] + HTTPRequestOptions.keys.of(\.options) + [.key("ca_file", \.caFile) { $0.caFileType }]
    }

    static func complete(_ probe: inout HTTPProbe, _ map: MappingReader) throws(YAMLError) {
        try HTTPRequestOptions.check(map)
    }

    static func families(_ result: ProbeResult) -> [MetricFamily] { ProbeFamilies.http(result) }

    /// The short form of `tls_config.ca_file`, which is printed as that.
    private var caFile: String? {
        get { nil }
        set { options.tls.caFile = newValue }
    }

    private var caFileType: YAMLType<String?> {
        options.tls.caFile == nil ? .optional(.certificates) : .never("at most one of ca_file and tls_config.ca_file")
    }
}

extension YAMLType where Value == BodyPattern? {
    /// A regular expression; an empty text is none.
    fileprivate static var bodyPattern: YAMLType {
        YAMLType(
            expectations: ["a regular expression"],
            read: { cursor throws(YAMLError) in
                let source = try YAMLType<String>.text("a regular expression") { $0 }.read(cursor)
                guard !source.isEmpty else { return nil }
                do throws(BodyPatternError) {
                    return try BodyPattern(source)
                } catch {
                    throw cursor.error("expected a regular expression: \(error)")
                }
            },
            write: { .quoted($0?.source ?? "") }
        )
    }
}

extension YAMLType where Value == String? {
    /// A key that another one excludes.
    fileprivate static func never(_ expectation: String) -> YAMLType {
        YAMLType(
            expectations: [expectation],
            read: { cursor throws(YAMLError) in throw cursor.error("expected \(expectation)") }
        )
    }
}
