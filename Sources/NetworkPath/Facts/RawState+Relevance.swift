import Netlink
import Posix

extension RawState {
    /// The links that can have a say in the path: where routes lead, and what stands below those.
    ///
    /// A container host has hundreds of others, which nobody needs to look up in sysfs.
    var relevantLinks: Set<Int32> {
        var open = Set(defaultRoutes.flatMap(\.hops).map(\.interfaceIndex))
        for case .route(let route) in lookups.values { open.formUnion(route.hops.map(\.interfaceIndex)) }
        var relevant: Set<Int32> = []
        while let index = open.popFirst() {
            guard let link = links[index], relevant.insert(index).inserted else { continue }
            if let parent = link.parentIndex, link.parentNamespace == nil { open.insert(parent) }
            // A bridge's veth and tap ports belong to containers and virtual machines, not to the way out.
            let ports = links.values.filter { $0.masterIndex == index && $0.kind != "veth" && $0.kind != "tun" }
            open.formUnion(ports.map(\.index))
        }
        return relevant
    }

    /// The default routes as just read, in place of those that events told of.
    mutating func replaceDefaultRoutes(_ routes: [Route]) {
        defaultRoutes = Set(routes.filter(\.isDefault))
    }
}
