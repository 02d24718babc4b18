package import Netlink
package import Posix

/// Everything recorded about the network, as it was reported: the one input of `PathEvaluator`.
///
/// Events are applied by the mutating methods (`RawState+Events.swift`); the answers to questions are plain properties.
package struct RawState: Sendable, Equatable {
    /// The devices by index.
    package internal(set) var links: [Int32: Link] = [:]
    /// The addresses.
    package internal(set) var addresses: [AddressKey: Address] = [:]
    /// The default routes of both families, all tables but `local`.
    package internal(set) var defaultRoutes: Set<Route> = []
    /// When each usable link was seen to become usable, by index; absent where that was before anybody looked.
    package internal(set) var usableSince: [Int32: SuspendingClock.Instant] = [:]

    /// The kernel's answer for each family's anchor; a family without one counts as without a route.
    package var lookups: [AddressFamily: RouteLookup] = [:]
    /// All next hops of the multipath entry that the lookup matched; absent for a plain route.
    package var legs: [AddressFamily: [RouteLeg]] = [:]
    /// The resolvers in effect.
    package var resolvers = Resolvers()
    /// What NetworkManager says; nil without it.
    package var networkManager: NetworkManagerFacts?
    /// The radios, and whether they are switched off.
    package var radios: [Radio] = []
    /// What sysfs says, by link index.
    package var deviceFacts: [Int32: DeviceFacts] = [:]

    package init() {}

    /// What makes an address one and the same in the kernel's eyes.
    package struct AddressKey: Sendable, Hashable {
        package let interfaceIndex: Int32
        package let address: IPAddress
        package let prefixLength: UInt8

        package init(_ address: Address) {
            interfaceIndex = address.interfaceIndex
            self.address = address.address
            prefixLength = address.prefixLength
        }
    }
}
