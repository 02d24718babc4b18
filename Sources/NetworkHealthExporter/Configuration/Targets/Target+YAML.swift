import HTTPTransfer
import Posix
import Probing
import StrictYAML

extension Target {
    /// Secrets masked.
    var yamlEntries: [(String, String)] {
        var entries = [
            ("name", EntryText.quoted(name)), ("module", module), ("address", EntryText.quoted(address)),
            ("interval", DurationText.format(interval)), ("timeout", DurationText.format(timeout)),
            ("ip_family", family?.rawValue ?? "auto"),
        ]
        if let interface { entries.append(("interface", EntryText.quoted(interface))) }
        if !labels.isEmpty {
            let texts = labels.sorted { $0.key < $1.key }.map { ($0.key, EntryText.quoted($0.value)) }
            entries.append(("labels", EntryText.flow(texts)))
        }
        if let onExpensive { entries.append(("on_expensive", onExpensive.rawValue)) }
        if let onConstrained { entries.append(("on_constrained", onConstrained.rawValue)) }
        return entries + probeEntries
    }
}

extension Target {
    private var probeEntries: [(String, String)] {
        switch probe {
        case let probe as TCPProbe:
            [("tls", "\(probe.tls != nil)")] + (probe.tls?.yamlEntries ?? [])
        case let probe as DNSProbe:
            [("query", EntryText.quoted(probe.query)), ("type", probe.type.rawValue)]
        case let probe as HTTPProbe:
            [
                ("method", probe.method.rawValue),
                (
                    "expect",
                    EntryText.flow([
                        ("status", EntryText.list(probe.expectedStatus.map(String.init))),
                        ("body_regex", EntryText.quoted(probe.bodyPattern?.source ?? "")),
                    ])
                ),
                ("headers", Self.masked(probe.headers)),
            ] + probe.options.yamlEntries
        case let probe as GraphQLProbe:
            [("query", EntryText.quoted(probe.query)), ("headers", Self.masked(probe.headers))]
                + probe.options.yamlEntries
        default: []
        }
    }

    private static func masked(_ headers: [String: String]) -> String {
        EntryText.flow(headers.keys.sorted().map { (EntryText.quoted($0), EntryText.secret) })
    }
}
