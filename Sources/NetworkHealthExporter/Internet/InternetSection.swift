import HTTPTransfer
import Posix
import Probing
import StrictYAML

/// The key `internet`: how internet access is checked.
struct InternetSection: Sendable, Equatable {
    /// false: no host is contacted.
    var isEnabled = true
    var configuration = InternetConfiguration()

    /// The hosts that are contacted without being a target.
    var contactedHosts: [String] { isEnabled ? configuration.hosts : [] }

    static var keys: [YAMLKey<InternetSection>] {
        let interval = YAMLType.duration(in: .seconds(1) ... .seconds(86_400))
        return [
            .key("enabled", \.isEnabled, .bool),
            .key("interval", \.configuration.interval, interval),
            .key("expensive_interval", \.configuration.expensiveInterval, interval),
            .key("timeout", \.configuration.timeout, .duration(in: .milliseconds(100) ... .seconds(60))),
            .key("untrusted_tls", \.configuration.untrustedTLS, .oneOf),
            .key("tls_config", \.configuration.tls, tls),
            .key("proxy_url", \.configuration.proxy, .optional(.proxyURL)),
            .key("probes", \.configuration.probes, .list(of: check, distinct: \.name)),
            .key("https", \.configuration.https, .list(of: .url(["https"]))),
            .key("literals", \.configuration.literals, .list(of: .routableEndpoint(port: 443))),
        ]
    }

    static func complete(_ section: inout InternetSection, _ map: MappingReader) throws(YAMLError) {
        let configuration = section.configuration
        guard configuration.timeout <= min(configuration.interval, configuration.expensiveInterval) else {
            let timeout = DurationText.format(configuration.timeout)
            throw map.error("expected at most interval and expensive_interval, and it is \(timeout)", at: "timeout")
        }
        guard !configuration.probes.isEmpty else { throw map.error("expected at least one", at: "probes") }
    }

    /// The servers ask for no certificate, and have names of their own: the authorities are all there is to set.
    private static var tls: YAMLType<TransferTLS> {
        .section(TransferTLS(), [.key("ca_file", \.caFile, .optional(.certificates))]).omitted { $0 == TransferTLS() }
    }

    private static var check: YAMLType<InternetConfiguration.Check> {
        .section(
            InternetConfiguration.Check(name: "", url: "", expectation: .status(200)),
            [
                .required("name", \.name, probeName),
                .required("url", \.url, .url(["http", "https"])),
                .required("expect", \.expectation, expectation),
            ]
        )
    }

    private static var expectation: YAMLType<InternetConfiguration.Expectation> {
        YAMLType<ExpectationKeys>.section(
            ExpectationKeys(),
            [
                .key("status", \.status, .optional(.httpStatus)),
                .key("body_prefix", \.bodyPrefix, .optional(.nonEmptyString)),
            ],
            complete: { (_, map) throws(YAMLError) in
                guard map.contains("status") != map.contains("body_prefix") else {
                    throw map.error("expected either status or body_prefix")
                }
            }
        )
        .mapped(\.expectation, ExpectationKeys.init)
    }

    /// A value of the label `probe` that no unnamed probe has.
    private static var probeName: YAMLType<String> {
        let taken = ["https", "literal", "gateway"]
        return .text("1 to 63 letters, digits, _ or -, and none of \(taken.joined(separator: ", "))") { text in
            let isName = (1...63).contains(text.utf8.count) && text.utf8.allSatisfy(\.isNameByte)
            return isName && !taken.contains(text) ? text : nil
        }
    }
}

/// The keys of `expect`, of which there is exactly one.
private struct ExpectationKeys {
    var status: Int?
    var bodyPrefix: String?

    init() {}

    init(of expectation: InternetConfiguration.Expectation) {
        switch expectation {
        case .status(let status): self.status = status
        case .bodyPrefix(let prefix): bodyPrefix = prefix
        }
    }

    var expectation: InternetConfiguration.Expectation { status.map { .status($0) } ?? .bodyPrefix(bodyPrefix ?? "") }
}

extension YAMLType where Value == SocketAddress {
    /// An address and a port beyond this host, which a connection to loopback says nothing about.
    ///
    /// - Parameter port: of the example.
    /// - Returns: what reads one.
    static func routableEndpoint(port: Int) -> YAMLType {
        .text(
            "ADDRESS:PORT such as 192.0.2.1:\(port) or [2001:db8::1]:\(port)",
            parse: { text in SocketAddress(text).flatMap { $0.ip.isRoutable ? $0 : nil } },
            write: { .quoted("\($0)") }
        )
    }
}
