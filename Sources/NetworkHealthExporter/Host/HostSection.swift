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
        try HTTPRequestOptions.check(map)
    }
}
