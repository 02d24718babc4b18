package import Netlink
import Posix

/// Applying events: each is idempotent and returns whether anything changed.
///
/// The kernel keeps silent about much that follows from an event (an IPv4 default route goes with its link, unannounced):
/// what surely follows is done here. Lookups and legs are answers, to be asked again after any change.
extension RawState {
    /// A link appeared or changed; `now` starts its time of being usable.
    package mutating func upsert(_ link: Link, at now: SuspendingClock.Instant) -> Bool {
        var link = link
        // Counters move without meaning anything for the path.
        link.receivedBytes = nil
        link.transmittedBytes = nil
        let old = links.updateValue(link, forKey: link.index)
        if !link.isUsable {
            usableSince[link.index] = nil
        } else if old?.isUsable != true {
            usableSince[link.index] = now
        }
        let isNew = old != link
        guard !link.isUp else { return isNew }
        let lost = routes(lostThrough: link.index).filter { $0.family == .ipv4 }
        defaultRoutes.subtract(lost)
        return !lost.isEmpty || isNew
    }

    /// A link was deleted; everything on it goes too.
    package mutating func deleteLink(_ index: Int32) -> Bool {
        guard links.removeValue(forKey: index) != nil else { return false }
        usableSince[index] = nil
        deviceFacts[index] = nil
        addresses = addresses.filter { $0.key.interfaceIndex != index }
        defaultRoutes.subtract(routes(lostThrough: index))
        return true
    }

    /// An address appeared or changed.
    package mutating func upsert(_ address: Address) -> Bool {
        let address = address.canonical
        return addresses.updateValue(address, forKey: AddressKey(address)) != address
    }

    /// An address was deleted; so are, silently, the IPv4 routes that need it, or the last one.
    package mutating func delete(_ address: Address) -> Bool {
        guard addresses.removeValue(forKey: AddressKey(address)) != nil else { return false }
        guard address.address.family == .ipv4 else { return true }
        let wasLast = !addresses.keys.contains {
            $0.interfaceIndex == address.interfaceIndex && $0.address.family == .ipv4
        }
        _ = removeRoutes { route in
            route.family == .ipv4
                && (route.preferredSource == address.address
                    || wasLast && route.legs.isEmpty && route.interfaceIndex == address.interfaceIndex)
        }
        return true
    }

    /// A route appeared.
    ///
    /// Anything but a default route outside of the local table is ignored, and so are the kernel's cached clones.
    package mutating func upsert(_ route: Route) -> Bool {
        guard route.isDefault, !defaultRoutes.contains(route) else { return false }
        let hops = Set(route.hops)
        _ = removeRoutes { $0.hasRank(of: route) && hops.isSuperset(of: $0.hops) }
        defaultRoutes.insert(route)
        return true
    }

    /// A route was deleted; of an IPv6 multipath route the kernel deletes one hop after the other.
    package mutating func delete(_ route: Route) -> Bool {
        guard route.isDefault else { return false }
        let hops = Set(route.hops)
        if removeRoutes({ $0.hasRank(of: route) && Set($0.hops) == hops }) { return true }
        guard let whole = defaultRoutes.first(where: { $0.hasRank(of: route) && hops.isStrictSubset(of: $0.hops) })
        else { return false }
        var rest = whole
        rest.legs.removeAll { hops.contains(RouteHop($0.interfaceIndex, $0.gateway)) }
        defaultRoutes.remove(whole)
        defaultRoutes.insert(rest)
        return true
    }

    /// Everything from fresh dumps; returns how many links, addresses and routes differed from what was recorded.
    ///
    /// Nobody knows for how long the links of the very first dump have been usable: they get no time in `usableSince`.
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
        }
        for address in newAddresses { _ = fresh.upsert(address) }
        for route in routes where route.isDefault { fresh.defaultRoutes.insert(route) }

        let indices = Set(links.keys).union(fresh.links.keys)
        let keys = Set(addresses.keys).union(fresh.addresses.keys)
        let differences =
            indices.count { links[$0] != fresh.links[$0] } + keys.count { addresses[$0] != fresh.addresses[$0] }
            + defaultRoutes.symmetricDifference(fresh.defaultRoutes).count
        let before = links
        (links, addresses, defaultRoutes) = (fresh.links, fresh.addresses, fresh.defaultRoutes)
        usableSince = fresh.usableSince
        // Facts of a link that is not what it was may not be either.
        deviceFacts = deviceFacts.filter { links[$0.key] != nil && links[$0.key] == before[$0.key] }
        return differences
    }

    /// The routes with nowhere left to go when this link is gone or down.
    private func routes(lostThrough index: Int32) -> Set<Route> {
        defaultRoutes.filter { route in
            let indices = route.hops.map(\.interfaceIndex)
            return indices.contains(index) && indices.allSatisfy { $0 == index || links[$0]?.isUp != true }
        }
    }

    private mutating func removeRoutes(_ condition: (Route) -> Bool) -> Bool {
        let gone = defaultRoutes.filter(condition)
        defaultRoutes.subtract(gone)
        return !gone.isEmpty
    }
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
