import Posix

/// Pings a host, or the router of the path.
package struct ICMPProbe: Probe {
    private let pinger: Pinger
    private let resolver: any NameResolving

    package init(pinger: Pinger, resolver: any NameResolving) {
        self.pinger = pinger
        self.resolver = resolver
    }

    package func probe(_ target: Target, in surroundings: ProbeSurroundings) async -> ProbeResult {
        if target.isGateway { return await pingGateway(target, in: surroundings) }
        return await resolver.tryAddresses(of: target.address, for: target) { destination, deadline in
            await pinger.ping(destination, name: target.name, device: target.interface, until: deadline)
        }
    }

    private func pingGateway(_ target: Target, in surroundings: ProbeSurroundings) async -> ProbeResult {
        guard let gateway = surroundings.gateway(for: target) else {
            return ProbeResult(failure: .unreachable, detail: "the path has no such gateway")
        }
        return await pinger.ping(
            SocketAddress(gateway.address),
            name: target.name,
            device: target.interface ?? gateway.neededDevice,
            until: .now + target.timeout
        )
    }
}
