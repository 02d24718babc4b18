import HTTPTransfer
import Probing
import PrometheusExposition
import StrictYAML

extension GraphQLProbe: ProbeModule {
    init() { self.init(query: "") }

    static var addresses: YAMLType<String> { .url(["http", "https"]) }

    static var keys: [YAMLKey<GraphQLProbe>] {
        [.required("query", \.query, .nonEmptyString), .key("headers", \.headers, .headers)]
            + HTTPRequestOptions.keys.of(\.options)
    }

    static func complete(_ probe: inout GraphQLProbe, _ map: MappingReader) throws(YAMLError) {
        try HTTPRequestOptions.check(map)
    }

    static func families(_ result: ProbeResult) -> [MetricFamily] { ProbeFamilies.http(result) }
}
