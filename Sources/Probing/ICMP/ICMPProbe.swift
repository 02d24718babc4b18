import Netlink

/// Pings a host, or the router of the path.
package struct ICMPProbe: Probe {
    private let pinger: Pinger
    private let resolver: any NameResolving

    package init(pinger: Pinger, resolver: any NameResolving) {
        self.pinger = pinger
        self.resolver = resolver
    }

    package func probe(_ target: Target, in surroundings: ProbeSurroundings) async -> ProbeResult {
        if target.isGateway { return await pingGateway(target, surroundings.gateways) }
        return await resolver.tryAddresses(of: target.address, for: target) { destination, deadline in
            await pinger.ping(destination, name: target.name, device: target.interface, until: deadline)
        }
    }

    private func pingGateway(_ target: Target, _ gateways: [ProbeSurroundings.Gateway]) async -> ProbeResult {
        let gateway = gateways.first { gateway in
            (target.family == nil || gateway.address.family == target.family)
                && (target.interface == nil || gateway.device == nil || gateway.device == target.interface)
        }
        guard let gateway else { return ProbeResult(failure: .unreachable, detail: "the path has no such gateway") }
        return await pinger.ping(
            ResolvedAddress(address: gateway.address),
            name: target.name,
            device: target.interface ?? gateway.neededDevice,
            until: .now + target.timeout
        )
    }
}
