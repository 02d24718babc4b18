import Netlink
import Posix

/// The portal that was last announced on each link.
struct AdvertisedPortals: Sendable, Equatable {
    /// URIs by interface index.
    private(set) var uris: [Int32: String] = [:]

    /// Takes an event in; the advertisement that it amounts to, if it is news.
    ///
    /// What was announced holds until the link goes down: the next may be another network's.
    mutating func take(_ event: RouteEvent) -> CaptivePortalAdvertisement? {
        switch event {
        case .ndUserOption(let option):
            CaptivePortalAdvertisement(option).flatMap { set($0.uri, on: $0.interfaceIndex) }
        case .link(let link): link.flags & 0x40 == 0 ? set(nil, on: link.index) : nil  // IFF_RUNNING
        case .linkDeleted(let index): set(nil, on: index)
        default: nil
        }
    }

    private mutating func set(_ uri: String?, on index: Int32) -> CaptivePortalAdvertisement? {
        guard uris[index] != uri else { return nil }
        uris[index] = uri
        return CaptivePortalAdvertisement(interfaceIndex: index, uri: uri)
    }
}
