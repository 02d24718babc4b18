import HTTPTransfer
import Posix
import Probing
import PrometheusExposition
import StrictYAML

extension TCPProbe: ProbeModule {
    init() { self.init(tls: nil) }

    static var addresses: YAMLType<String> {
        .host("HOST:PORT such as example.com:443 or [2001:db8::1]:443", allowsGateway: false) { host, _ in
            host.port != nil
        }
    }

    static var keys: [YAMLKey<TCPProbe>] {
        [
            .key("tls", \.usesTLS, .bool),
            .key("ca_file", \.caFile, .optional(.certificates)),
            .key("server_name", \.serverName, .optional(.domainName)),
        ]
    }

    static func complete(_ probe: inout TCPProbe, _ map: MappingReader) throws(YAMLError) {
        for key in ["ca_file", "server_name"] where probe.tls == nil && map.contains(key) {
            throw map.error("expected tls: true beside it", at: key)
        }
    }

    static func families(_ result: ProbeResult) -> [MetricFamily] {
        [
            ProbeFamilies.failedByRegex(false),
            .gauge(
                "probe_failed_due_to_bytes",
                help: "Whether the probe failed because the bytes received did not match; always 0, as none are read.",
                value: false
            ),
        ] + ProbeFamilies.tls(result)
    }

    private var usesTLS: Bool {
        get { tls != nil }
        set { tls = newValue ? tls ?? TransferTLS() : nil }
    }

    private var caFile: String? {
        get { tls?.caFile }
        set { tls?.caFile = newValue }
    }

    private var serverName: String? {
        get { tls?.serverName }
        set { tls?.serverName = newValue }
    }
}
