import FoundationEssentials
import HTTPTransfer
import Netlink
import Probing
import StrictYAML

extension Target {
    /// The target as an element of a list, a line a key, secrets masked.
    var yamlLines: [String] {
        var entries = [
            ("name", YAMLText.quoted(name)), ("module", module.rawValue), ("address", YAMLText.quoted(address)),
            ("interval", DurationText.format(interval)), ("timeout", DurationText.format(timeout)),
            ("ip_family", family?.rawValue ?? "auto"),
        ]
        if let interface { entries.append(("interface", YAMLText.quoted(interface))) }
        if !labels.isEmpty {
            let texts = labels.sorted { $0.key < $1.key }.map { ($0.key, YAMLText.quoted($0.value)) }
            entries.append(("labels", YAMLText.flow(texts)))
        }
        if let onExpensive { entries.append(("on_expensive", onExpensive.rawValue)) }
        if let onConstrained { entries.append(("on_constrained", onConstrained.rawValue)) }
        entries += options.yamlEntries
        return entries.enumerated().map { index, entry in "\(index == 0 ? "-" : " ") \(entry.0): \(entry.1)" }
    }
}

extension TargetOptions {
    fileprivate var yamlEntries: [(String, String)] {
        switch self {
        case .icmp: []
        case .tcp(let options):
            [("tls", "\(options.tls != nil)")] + (options.tls?.yamlEntries ?? [])
        case .dns(let options):
            [("query", YAMLText.quoted(options.query)), ("type", options.type.rawValue)]
        case .http(let options):
            [
                ("method", options.method.rawValue),
                (
                    "expect",
                    YAMLText.flow([
                        ("status", YAMLText.list(options.expectedStatus.map(String.init))),
                        ("body_regex", YAMLText.quoted(options.bodyPattern?.source ?? "")),
                    ])
                ),
                ("headers", Self.masked(options.headers)),
            ] + options.request.yamlEntries
        case .graphql(let options):
            [("query", YAMLText.quoted(options.query)), ("headers", Self.masked(options.headers))]
                + options.request.yamlEntries
        }
    }

    private static func masked(_ headers: [String: String]) -> String {
        YAMLText.flow(headers.keys.sorted().map { (YAMLText.quoted($0), YAMLText.secret) })
    }
}

extension HTTPRequestOptions {
    fileprivate var yamlEntries: [(String, String)] {
        var entries: [(String, String)] = []
        if let authorization { entries.append(Self.masked(authorization)) }
        if tls != TransferTLS() { entries.append(("tls_config", YAMLText.flow(tls.yamlEntries))) }
        if let proxy { entries.append(("proxy_url", YAMLText.quoted(AbsoluteURL.masked(proxy)))) }
        return entries
    }

    private static func masked(_ authorization: String) -> (String, String) {
        let parts = authorization.split(separator: " ", maxSplits: 1).map(String.init)
        if parts.count == 2, parts[0] == "Basic", let decoded = Data(base64Encoded: parts[1]) {
            let name = String(decoding: decoded.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
            return ("basic_auth", YAMLText.flow([("username", YAMLText.quoted(name)), ("password", YAMLText.secret)]))
        }
        let type = YAMLText.quoted(parts.first ?? "")
        return ("authorization", YAMLText.flow([("type", type), ("credentials", YAMLText.secret)]))
    }
}

extension TransferTLS {
    fileprivate var yamlEntries: [(String, String)] {
        let files = [
            ("ca_file", caFile), ("cert_file", certificateFile), ("key_file", keyFile), ("server_name", serverName),
        ]
        return files.compactMap { key, value in value.map { (key, YAMLText.quoted($0)) } }
            + (skipsVerification ? [("insecure_skip_verify", "true")] : [])
    }
}
