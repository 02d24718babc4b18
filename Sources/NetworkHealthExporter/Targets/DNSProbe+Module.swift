import HTTPTransfer
import Probing
import PrometheusExposition
import StrictYAML

extension DNSProbe: ProbeModule {
    init() { self.init(query: "") }

    static var addresses: YAMLType<String> {
        .host("a host, HOST:PORT, [IPv6]:PORT or _gateway", allowsGateway: true)
    }

    static var keys: [YAMLKey<DNSProbe>] {
        [.required("query", \.query, .domainName), .key("type", \.type, .oneOf)]
    }

    static func families(_ result: ProbeResult) -> [MetricFamily] {
        let phases = result.phases
        let facts = result.dns
        return [
            ProbeFamilies.phases(
                "dns",
                [("resolve", phases.resolve), ("connect", phases.connect), ("request", phases.processing)]
            ),
            .gauge(
                "probe_dns_query_succeeded",
                help: "Whether the query was answered.",
                value: facts != nil
            ),
            .gauge(
                "probe_dns_answer_rrs",
                help: "Number of records in the answer section.",
                value: facts?.answers ?? 0
            ),
            .gauge(
                "probe_dns_authority_rrs",
                help: "Number of records in the authority section.",
                value: facts?.authorities ?? 0
            ),
            .gauge(
                "probe_dns_additional_rrs",
                help: "Number of records in the additional section.",
                value: facts?.additionals ?? 0
            ),
        ]
    }
}
