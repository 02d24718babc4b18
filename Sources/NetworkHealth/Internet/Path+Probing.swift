package import NetworkPath
import Posix
package import Probing

extension InternetPath {
    /// The part of a path that decides how the internet is probed.
    package init(_ update: PathUpdate) { self.init(update.path, generation: update.generation) }

    /// - Parameters:
    ///   - path: the path.
    ///   - generation: that of its update; 0 where verdicts about it are not compared.
    package init(_ path: Path, generation: UInt64 = 0) {
        self.init(
            generation: generation,
            isSatisfied: path.status == .satisfied,
            isExpensive: path.isExpensive,
            isConstrained: path.isConstrained,
            families: Set(AddressFamily.allCases.filter { $0 == .ipv4 ? path.supportsIPv4 : path.supportsIPv6 }),
            // The router of a standby answers where that of the path is dead, and makes no other path when it comes or goes.
            gateways: path.routersInUse.compactMap(ProbeContext.Gateway.init),
            interfaces: Set([path.interface, path.underlay].compactMap { $0?.index }),
            devices: path.isMultipath || path.interface == nil ? nil : Set(path.carriers.map(\.index)),
            portal: path.captivePortal,
            nameservers: path.dnsServers.compactMap { IPAddress($0) }
        )
    }
}

extension OutagePeriod {
    /// nil without an outage.
    package init?(_ outage: Outage?) {
        guard let outage else { return nil }
        self.init(
            since: outage.since,
            end: outage.length.map { outage.since + $0 },
            isBeyondRouter: outage.cause.isBeyondRouter
        )
    }
}

extension ProbeContext {
    /// The part of a path that decides how targets are probed.
    package init(_ path: Path) {
        self.init(
            // While the path is not satisfied, no router is known to be in use.
            gateways: (path.status == .satisfied ? path.routersInUse : path.gateways).compactMap(Gateway.init),
            isConnected: path.status == .satisfied,
            isExpensive: path.isExpensive,
            isConstrained: path.isConstrained
        )
        isContainer = path.viewpoint == .container
        isPointToPoint = path.interface?.isPointToPoint == true
    }
}
