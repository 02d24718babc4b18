import HTTPTransfer
import Posix
import Probing
import StrictYAML

extension Target {
    /// The target as an element of a list, a line a key, secrets masked.
    var yamlLines: [String] {
        var entries = [
            ("name", YAMLText.quoted(name)), ("module", module), ("address", YAMLText.quoted(address)),
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
        entries += probeEntries
        return entries.enumerated().map { index, entry in "\(index == 0 ? "-" : " ") \(entry.0): \(entry.1)" }
    }
}

extension Target {
    private var probeEntries: [(String, String)] {
        switch probe {
        case let probe as TCPProbe:
            [("tls", "\(probe.tls != nil)")] + (probe.tls?.yamlEntries ?? [])
        case let probe as DNSProbe:
            [("query", YAMLText.quoted(probe.query)), ("type", probe.type.rawValue)]
        case let probe as HTTPProbe:
            [
                ("method", probe.method.rawValue),
                (
                    "expect",
                    YAMLText.flow([
                        ("status", YAMLText.list(probe.expectedStatus.map(String.init))),
                        ("body_regex", YAMLText.quoted(probe.bodyPattern?.source ?? "")),
                    ])
                ),
                ("headers", Self.masked(probe.headers)),
            ] + probe.options.yamlEntries
        case let probe as GraphQLProbe:
            [("query", YAMLText.quoted(probe.query)), ("headers", Self.masked(probe.headers))]
                + probe.options.yamlEntries
        default: []
        }
    }

    private static func masked(_ headers: [String: String]) -> String {
        YAMLText.flow(headers.keys.sorted().map { (YAMLText.quoted($0), YAMLText.secret) })
    }
}
