import HTTPTransfer
import Posix
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
