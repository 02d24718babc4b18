import Probing
import StrictYAML

/// The key `host`: the exporter that sees the host's network, for one in a container.
struct HostSection: Sendable, Equatable {
    /// nil: none is followed.
    var url: String?
    var request = HTTPRequestOptions()

    static var keys: [YAMLKey<HostSection>] {
        [.key("url", \.url, .emptyOr(.url(["http", "https"])))] + HTTPRequestOptions.keys.of(\.request)
    }

    static func complete(_ section: inout HostSection, _ map: MappingReader) throws(YAMLError) {
        guard section.url.map(isBase) ?? true else {
            throw map.error("expected a URL without a query and a fragment", at: "url")
        }
        try HTTPRequestOptions.check(map)
    }

    /// Whether a path can be put behind a URL.
    static func isBase(_ url: String) -> Bool { !url.utf8.contains { "?#".utf8.contains($0) } }
}
