import Netlink

/// Pings the router of the path, for the target that is there without a configuration.
///
/// Unlike ``ICMPProbe`` it never times a handshake instead: a router that drops packets to a port is not down.
package struct GatewayProbe: Probe {
    package static let module = ICMPProbe.module
    package static let measuresRoundTrip = true

    package static let failures = ProbeFailure.ofPath

    /// Whether it leaves out containers and point-to-point links, where the next hop is not a router of the user's.
    package var isAutomatic: Bool

    package init(isAutomatic: Bool = true) { self.isAutomatic = isAutomatic }

    package func probe(_ target: Target, in context: ProbeContext, with tools: ProbeTools) async -> ProbeResult {
        var result = await tools.probeAddresses(of: target.address, for: target, in: context) {
            destination,
            device,
            deadline in
            await tools.pinger.ping(
                destination,
                name: target.name,
                device: device,
                until: deadline,
                allowsHandshake: false
            )
        }
        if result.isWithoutAnswer, let gateway = context.gateway(for: target) {
            let state = await tools.neighbours.state(of: gateway)
            result.isNeighbour = state?.isReachable
            result.confirmedAt = state?.confirmedAgo.map { .now - $0 }
        }
        return result
    }
}

extension Target {
    /// The name of the target that is there without a configuration; a configured one takes its place.
    package static let gatewayName = "gateway"

    /// The target that watches the router of the path.
    ///
    /// - Parameters:
    ///   - interval: from one ping to the next.
    ///   - isAutomatic: see `GatewayProbe.isAutomatic`.
    /// - Returns: the target.
    package static func gateway(every interval: Duration, isAutomatic: Bool) -> Target {
        let probe = GatewayProbe(isAutomatic: isAutomatic)
        var target = Target(name: gatewayName, address: gatewayAddress, probe: probe)
        target.interval = interval
        return target
    }
}

extension Target {
    /// Whether it is there without a configuration.
    package var isBuiltIn: Bool { probe is GatewayProbe }

    /// The router that the built-in target watches on a path; nil: none, and for any other target.
    func watchedGateway(in context: ProbeContext?) -> ProbeContext.Gateway? {
        guard let probe = probe as? GatewayProbe, let context else { return nil }
        guard !probe.isAutomatic || !context.isContainer && !context.isPointToPoint else { return nil }
        return context.gateway(for: self)
    }

    /// Whether there is something to probe: the others are probed, and fail, without a path.
    func isWatchable(in context: ProbeContext) -> Bool { !isBuiltIn || watchedGateway(in: context) != nil }
}

extension ProbeResult {
    /// Nothing came back, or a refusal: by a firewall too, on the router or on this host.
    fileprivate var isWithoutAnswer: Bool { failure == .timeout || failure == .unreachable }

    /// The same, but inconclusive for a router that has never answered a ping and answers the kernel.
    func concluded(hasAnswered: Bool) -> ProbeResult {
        guard isWithoutAnswer, isNeighbour == true, !hasAnswered else { return self }
        var result = self
        (result.failure, result.inconclusive) = (nil, .silent)
        return result
    }
}

/// Why a probe says nothing about its target: neither that it is up, nor that it is down.
package enum Inconclusive: String, Sendable {
    /// The kernel permits this process no ICMP socket.
    case notPermitted
    /// The router has answered no ping since the path came up, but it answers the kernel: it drops pings.
    case silent
}
