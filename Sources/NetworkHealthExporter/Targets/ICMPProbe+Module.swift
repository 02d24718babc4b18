import HTTPTransfer
import Posix
import Probing
import PrometheusExposition
import StrictYAML

extension ICMPProbe: ProbeModule {
    static var addresses: YAMLType<String> {
        .host("a host, an IP address or _gateway", allowsGateway: true) { host, text in
            host.port == nil && !text.hasPrefix("[") && host.address?.isUnicast ?? true
        }
    }

    static func families(_ result: ProbeResult) -> [MetricFamily] {
        [
            ProbeFamilies.phases(
                "icmp",
                [("resolve", result.phases.resolve), ("setup", result.setup), ("rtt", result.rtt)]
            ),
            .gauge(
                "probe_icmp_reply_hop_limit",
                help: "Hop limit of the reply (TTL in IPv4).",
                value: result.hopLimit.map(Int.init)
            ),
        ]
    }
}
