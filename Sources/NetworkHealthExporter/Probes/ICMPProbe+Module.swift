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
        [ProbeFamilies.phases("icmp", [("resolve", result.phases.resolve), ("rtt", result.rtt)])]
    }
}
