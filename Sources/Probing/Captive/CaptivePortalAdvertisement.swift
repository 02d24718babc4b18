package import Netlink
import Posix

/// What a router says about its captive portal (RFC 8910).
package struct CaptivePortalAdvertisement: Sendable, Equatable {
    /// The option of a router advertisement (RFC 8910, 2.3).
    private static let option: UInt8 = 37
    /// The URI that means "no portal here" (RFC 8910, 2).
    private static let unrestricted = "urn:ietf:params:capport:unrestricted"

    /// The device on whose link it was heard.
    package var interfaceIndex: Int32
    /// Of the portal's API (RFC 8908), always https; nil: no portal.
    package var uri: String?

    package init(interfaceIndex: Int32, uri: String?) {
        self.interfaceIndex = interfaceIndex
        self.uri = uri
    }

    /// Nil for another option, and for a URI that is no https one, which RFC 8908 does not allow.
    package init?(_ option: NeighbourOption) {
        guard option.type == Self.option else { return nil }
        // Padded with NULs to a multiple of eight bytes.
        guard let uri = String(validating: option.bytes.prefix { $0 != 0 }, as: UTF8.self) else { return nil }
        guard uri != Self.unrestricted else {
            self.init(interfaceIndex: option.interfaceIndex, uri: nil)
            return
        }
        guard CaptivePortalAPI.isSecure(uri) else { return nil }
        self.init(interfaceIndex: option.interfaceIndex, uri: uri)
    }
}
