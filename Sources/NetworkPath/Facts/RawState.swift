package import Netlink
package import Posix

/// Everything recorded about the network, as it was reported: the only input of `PathEvaluator`.
///
/// The kernel does not report much that follows from an event (an IPv4 default route goes with its link, without a
/// message): `apply` does what surely follows. The rest are answers to requests, renewed before each evaluation.
package struct RawState: Sendable, Equatable {
    /// The devices by index.
    package internal(set) var links: [Int32: Link] = [:]
    /// The addresses.
    package internal(set) var addresses: [AddressKey: Address] = [:]
    /// The default routes of both families, all tables but `local`.
    package internal(set) var defaultRoutes: Set<Route> = []
    /// The halves of default routes, of the last reading: events only make it stale.
    package internal(set) var halfRoutes: Set<Route> = []
    /// When each usable link became usable, by index; absent where that was before the first reading.
    package internal(set) var usableSince: [Int32: SuspendingClock.Instant] = [:]
    /// The captive portal (RFC 8910) that a router announced last on each link, by its index: the URI of its API.
    package internal(set) var portals: [Int32: String] = [:]
    /// Whether the recorded default routes may be wrong: the kernel may have removed or replaced some without a message.
    package internal(set) var areRoutesStale = true

    /// The kernel's answer for each family's anchor; a family without one counts as without a route.
    package var lookups: [AddressFamily: RouteLookup] = [:]
    /// The next hops of the multipath route that the lookup matched; absent for a plain route.
    package var nextHops: [AddressFamily: [RouteHop]] = [:]
    /// The addresses of the resolvers in effect, in the order of use.
    package var nameservers: [String] = []
    /// The facts of NetworkManager; nil without it.
    package var networkManager: NetworkManagerFacts?
    /// Whether it is not known yet if there is a NetworkManager, or what it says.
    package var awaitsNetworkManager = false
    /// The radios, and whether they are switched off.
    package var radios: [Radio] = []
    /// The facts of sysfs, by link index.
    package var deviceFacts: [Int32: DeviceFacts] = [:]
    /// Wi-Fi devices that may be in another network than their facts say.
    package var doubtfulFacts: Set<Int32> = []

    package init() {}

    /// What identifies an address for the kernel.
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

    /// The part that events report, which a reading of the kernel's tables must agree with.
    struct Records: Equatable {
        var links: [Int32: Link]
        var addresses: [AddressKey: Address]
        var routes: Set<Route>
    }

    var records: Records { Records(links: links, addresses: addresses, routes: defaultRoutes) }

    /// The links that can influence the path: where routes lead, and the devices below those.
    ///
    /// A container host has hundreds of others, for which sysfs is not read.
    var relevantLinks: Set<Int32> {
        var open = Set(defaultRoutes.flatMap(\.hops).map(\.interfaceIndex))
        for case .route(let route) in lookups.values { open.formUnion(route.hops.map(\.interfaceIndex)) }
        var relevant: Set<Int32> = []
        while let index = open.popFirst() {
            guard let link = links[index], relevant.insert(index).inserted else { continue }
            if let parent = link.parentIndex, link.parentNamespace == nil { open.insert(parent) }
            // A bridge's veth and tap ports belong to containers and virtual machines.
            let ports = links.values.filter { $0.masterIndex == index && $0.kind != "veth" && $0.kind != "tun" }
            open.formUnion(ports.map(\.index))
        }
        return relevant
    }
}

// MARK: Events

extension RawState {
    /// Records an event of the kernel; `now` starts a link's time of being usable.
    ///
    /// - Returns: whether it may have moved the path.
    package mutating func apply(_ event: RouteEvent, at now: SuspendingClock.Instant) -> Bool {
        switch event {
        case .link(let link):
            guard upsert(link, at: now) else {
                // The kernel joins the events of a device that has left one Wi-Fi network for another.
                guard deviceFacts[link.index]?.isWireless == true else { return false }
                return doubtfulFacts.insert(link.index).inserted
            }
            // A rename, a new carrier: sysfs may have other facts, and default routes may be gone.
            deviceFacts[link.index] = nil
            areRoutesStale = true
        case .linkDeleted(let index):
            areRoutesStale = true
            return deleteLink(index)
        case .address(let address): return upsert(address)
        case .addressDeleted(let address):
            areRoutesStale = true
            return delete(address)
        case .route(let route):
            // An event does not report whether it replaced another route.
            if route.destinationLength <= 1 { areRoutesStale = true }
            upsert(route)
        case .routeDeleted(let route):
            if route.isHalf { areRoutesStale = true }
            delete(route)
        case .rule: break
        case .nexthop: areRoutesStale = true
        case .ndUserOption(let option):
            switch option.portal {
            case .portal(let uri): portals[option.interfaceIndex] = uri
            case .unrestricted: portals[option.interfaceIndex] = nil
            // It may announce resolvers, which another program has written to resolv.conf.
            case nil: break
            }
        case .other: return false
        }
        return true
    }

    /// A link appeared or changed.
    ///
    /// Wireless drivers repeat themselves: false where nothing differs.
    package mutating func upsert(_ link: Link, at now: SuspendingClock.Instant) -> Bool {
        var link = link
        // Counters move without meaning for the path.
        (link.receivedBytes, link.transmittedBytes) = (nil, nil)
        (link.receivedFrames, link.receiveErrors) = (nil, nil)
        let old = links.updateValue(link, forKey: link.index)
        // The next announcement may be another network's.
        if !link.isRunning { portals[link.index] = nil }
        if !link.isUsable {
            usableSince[link.index] = nil
        } else if old?.isUsable != true {
            usableSince[link.index] = now
        }
        let lost = link.isUp ? [] : routes(lostThrough: link.index).filter { $0.family == .ipv4 }
        defaultRoutes.subtract(lost)
        return old != link || !lost.isEmpty
    }

    /// A link was deleted; everything on it goes too.
    package mutating func deleteLink(_ index: Int32) -> Bool {
        guard links.removeValue(forKey: index) != nil else { return false }
        usableSince[index] = nil
        deviceFacts[index] = nil
        doubtfulFacts.remove(index)
        portals[index] = nil
        addresses = addresses.filter { $0.key.interfaceIndex != index }
        defaultRoutes.subtract(routes(lostThrough: index))
        return true
    }

    /// An address appeared or changed.
    package mutating func upsert(_ address: Address) -> Bool {
        let address = address.canonical
        return addresses.updateValue(address, forKey: AddressKey(address)) != address
    }

    /// An address was deleted; so are, without a message, the IPv4 routes that need it, or the last one.
    package mutating func delete(_ address: Address) -> Bool {
        guard addresses.removeValue(forKey: AddressKey(address)) != nil else { return false }
        guard address.address.family == .ipv4 else { return true }
        let wasLast = !addresses.keys.contains {
            $0.interfaceIndex == address.interfaceIndex && $0.address.family == .ipv4
        }
        removeRoutes { route in
            route.family == .ipv4
                && (route.preferredSource == address.address
                    || wasLast && route.hops.map(\.interfaceIndex) == [address.interfaceIndex])
        }
        return true
    }

    /// A route appeared.
    ///
    /// Only default routes outside of the local table are recorded.
    @discardableResult
    package mutating func upsert(_ route: Route) -> Bool {
        guard route.isDefault, !defaultRoutes.contains(route) else { return false }
        let destinations = route.destinations
        removeRoutes { $0.hasRank(of: route) && destinations.isSuperset(of: $0.destinations) }
        defaultRoutes.insert(route)
        return true
    }

    /// A route was deleted; of an IPv6 multipath route the kernel deletes one hop after the other.
    @discardableResult
    package mutating func delete(_ route: Route) -> Bool {
        guard route.isDefault else { return false }
        let gone = route.destinations
        if removeRoutes({ $0.hasRank(of: route) && $0.destinations == gone }) { return true }
        guard
            let whole = defaultRoutes.first(where: { $0.hasRank(of: route) && gone.isStrictSubset(of: $0.destinations) }
            )
        else { return false }
        var rest = whole
        rest.hops.removeAll { gone.contains($0.destination) }
        defaultRoutes.remove(whole)
        defaultRoutes.insert(rest)
        return true
    }

    /// The routes with no next hop left when this link is gone or down.
    private func routes(lostThrough index: Int32) -> Set<Route> {
        defaultRoutes.filter { route in
            let indices = route.hops.map(\.interfaceIndex)
            return indices.contains(index) && indices.allSatisfy { $0 == index || links[$0]?.isUp != true }
        }
    }

    @discardableResult
    private mutating func removeRoutes(_ condition: (Route) -> Bool) -> Bool {
        let gone = defaultRoutes.filter(condition)
        defaultRoutes.subtract(gone)
        return !gone.isEmpty
    }
}

// MARK: Dumps

extension RawState {
    /// Replaces the default routes by those just read.
    mutating func replaceDefaultRoutes(_ routes: Dump<Route>) {
        defaultRoutes = Set(routes.elements.filter(\.isDefault))
        halfRoutes = Set(routes.elements.filter(\.isHalf))
        areRoutesStale = !routes.isConsistent
    }

    /// Replaces links, addresses and default routes by fresh dumps.
    ///
    /// How long the links of the very first dump have been usable is unknown: they get no time in `usableSince`.
    ///
    /// - Returns: how many links, addresses and routes differed from what was recorded.
    @discardableResult
    package mutating func resynchronise(
        links newLinks: [Link],
        addresses newAddresses: [Address],
        routes: [Route],
        at now: SuspendingClock.Instant
    ) -> Int {
        var fresh = RawState()
        for link in newLinks {
            _ = fresh.upsert(link, at: now)
            if links.isEmpty || links[link.index]?.isUsable == true, link.isUsable {
                fresh.usableSince[link.index] = usableSince[link.index]
            }
            if link.isRunning { fresh.portals[link.index] = portals[link.index] }
        }
        for address in newAddresses { _ = fresh.upsert(address) }
        fresh.defaultRoutes = Set(routes.filter(\.isDefault))

        let indices = Set(links.keys).union(fresh.links.keys)
        let keys = Set(addresses.keys).union(fresh.addresses.keys)
        let differences =
            indices.count { links[$0] != fresh.links[$0] } + keys.count { addresses[$0] != fresh.addresses[$0] }
            + defaultRoutes.symmetricDifference(fresh.defaultRoutes).count
        // The facts of a link that has changed may have changed too.
        deviceFacts = deviceFacts.filter { fresh.links[$0.key] != nil && fresh.links[$0.key] == links[$0.key] }
        (links, addresses, defaultRoutes) = (fresh.links, fresh.addresses, fresh.defaultRoutes)
        (usableSince, portals) = (fresh.usableSince, fresh.portals)
        halfRoutes = Set(routes.filter(\.isHalf))
        return differences
    }
}

extension Route {
    /// Where it leads, without flags.
    fileprivate var destinations: Set<RouteHop> { Set(hops.map(\.destination)) }
}

extension Address {
    /// Without the lifetime, which each router advertisement repeats; its end is a flag (IFA_F_DEPRECATED).
    fileprivate var canonical: Address {
        var address = self
        if preferredLifetime == 0 { address.flags |= AddressFlag.deprecated }
        address.preferredLifetime = nil
        return address
    }
}
