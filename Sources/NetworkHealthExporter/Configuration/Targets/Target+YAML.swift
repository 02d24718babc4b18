import HTTPTransfer
import Netlink
import Probing
import StrictYAML

extension Target {
    /// Secrets masked.
    var yamlEntries: [(String, String)] {
        var entries = [
            ("name", EntryText.quoted(name)), ("module", module.rawValue), ("address", EntryText.quoted(address)),
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
        return entries + options.yamlEntries
    }
}

extension TargetOptions {
    fileprivate var yamlEntries: [(String, String)] {
        switch self {
        case .icmp: []
        case .tcp(let options):
            [("tls", "\(options.tls != nil)")] + (options.tls?.yamlEntries ?? [])
        case .dns(let options):
            [("query", EntryText.quoted(options.query)), ("type", options.type.rawValue)]
        case .http(let options):
            [
                ("method", options.method.rawValue),
                (
                    "expect",
                    EntryText.flow([
                        ("status", EntryText.list(options.expectedStatus.map(String.init))),
                        ("body_regex", EntryText.quoted(options.bodyPattern?.source ?? "")),
                    ])
                ),
                ("headers", Self.masked(options.headers)),
            ] + options.request.yamlEntries
        case .graphql(let options):
            [("query", EntryText.quoted(options.query)), ("headers", Self.masked(options.headers))]
                + options.request.yamlEntries
        }
    }

    private static func masked(_ headers: [String: String]) -> String {
        EntryText.flow(headers.keys.sorted().map { (EntryText.quoted($0), EntryText.secret) })
    }
}
