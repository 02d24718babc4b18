package import Posix

/// What the user configured about the path.
package struct PathPolicy: Sendable, Equatable {
    /// Whether every device is expensive or none is; nil to find out.
    package var expensive: Bool?
    /// The word of `path.expensive_file`, which counts where `expensive` is nil; nil where it has none.
    package var fileVerdict: Bool?
    /// Whether every device is for low data use.
    package var constrained = false
    /// Exceptions for single devices; the first whose glob matches is the only one that counts.
    package var rules: [Rule] = []
    /// The addresses whose routes are looked up; no packet is sent to them.
    package var anchors: [AddressFamily: IPAddress] = defaultAnchors

    package init() {}

    /// What is set for the devices of one name pattern; nil leaves it to the general setting.
    package struct Rule: Sendable, Equatable {
        /// A glob (fnmatch(3)) for the device name: `wwan*`.
        package var interfaceGlob: String
        package var expensive: Bool?
        package var constrained: Bool?

        package init(interfaceGlob: String, expensive: Bool? = nil, constrained: Bool? = nil) {
            self.interfaceGlob = interfaceGlob
            self.expensive = expensive
            self.constrained = constrained
        }
    }

    /// Any stable global address does: these are Cloudflare's resolvers.
    package static let defaultAnchors: [AddressFamily: IPAddress] =
        [.ipv4: "1.1.1.1", .ipv6: "2606:4700:4700::1111"].compactMapValues { IPAddress($0) }
}
