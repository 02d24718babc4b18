import NetworkPath
import Posix
import Probing
import Statistics

/// Where nothing passes (docs/where.md, "An outage").
enum OutageRule {
    static func faults(in scene: FaultScene) -> [Fault] {
        guard let outage = scene.evidence.outage, let cause = outage.cause else { return [] }
        switch cause {
        case .link: return [linkFault(outage, in: scene)]
        case .route: return [routeFault(outage, in: scene)]
        case .dnsBroken: return [dnsFault(outage, in: scene)]
        case .captivePortal:
            return [pathFault(.policy, "A login page answers in place of the internet.", outage, in: scene)]
        case .tlsUntrusted:
            let says =
                "Certificates are not trusted: something on the way inspects TLS, or the CA certificates are old."
            return [pathFault(.policy, says, outage, in: scene)]
        case .gateway, .noInternet: return [wayFault(outage, in: scene)]
        }
    }

    private static func pathFault(
        _ place: FaultLocation,
        _ says: String,
        _ outage: FaultEvidence.OngoingOutage,
        in scene: FaultScene
    ) -> Fault {
        let observation = FaultObservation(.state, at: scene.now, says: says)
        return Fault(place, .outage, since: outage.since, [observation])
    }

    /// Whether the link is down, or the device of a tunnel.
    private static func linkFault(_ outage: FaultEvidence.OngoingOutage, in scene: FaultScene) -> Fault {
        guard scene.evidence.path?.unsatisfiedReason == .vpnInactive else {
            return pathFault(.link, "The link is down: no carrier, or switched off.", outage, in: scene)
        }
        let says = "The device of the tunnel is down or gone, or has no program behind it."
        return pathFault(.vpn, says, outage, in: scene)
    }

    /// Why the kernel has no route.
    private static func routeFault(_ outage: FaultEvidence.OngoingOutage, in scene: FaultScene) -> Fault {
        switch scene.evidence.path?.unsatisfiedReason {
        case .linkDown?: pathFault(.link, "The link of the route is down.", outage, in: scene)
        case .cellularInactive?: pathFault(.link, "The modem of this computer is not connected.", outage, in: scene)
        case .vpnInactive?:
            pathFault(.host, "No device of this computer can carry the packets of the tunnel.", outage, in: scene)
        case .policyDenied?:
            pathFault(
                .host,
                "A rule of this computer blocks the traffic, such as a VPN's kill switch.",
                outage,
                in: scene
            )
        case .wifiDenied?, .cellularDenied?, .disabled?:
            pathFault(.host, "Networking or the radio is switched off on this computer.", outage, in: scene)
        case .connecting?: pathFault(.host, "This computer is still connecting.", outage, in: scene)
        case .noRoute?, nil:
            pathFault(.host, "This computer has no usable address, or no router.", outage, in: scene)
        }
    }

    private static func dnsFault(_ outage: FaultEvidence.OngoingOutage, in scene: FaultScene) -> Fault {
        if let missing = scene.loss(since: outage.since) { return unknown(outage, [], missing, in: scene) }
        var fault = pathFault(.dns, "Addresses on the internet answer, and no name leads to one.", outage, in: scene)
        fault.observations += scene.evidence.nameServers.compactMap { DNSRule.silence(of: $0, in: scene, fewest: 1) }
        return fault
    }

    /// Where a way ends on which nothing arrives, by what routers say, else by which of them are silent.
    private static func wayFault(_ outage: FaultEvidence.OngoingOutage, in scene: FaultScene) -> Fault {
        let path = scene.evidence.path
        if path?.viewpoint == .container {
            let text = "A container does not see where: ask the exporter of its host (host.url)."
            return unknown(outage, [], text, in: scene)
        }
        if path?.interface?.isTunnel == true {
            return unknown(outage, [], "Whether the line below the tunnel works is not known.", in: scene)
        }
        // What routers did over another path says nothing about this one, over which the outage goes on.
        let begin = max(outage.since, scene.uplinkSince ?? outage.since)
        let ends = scene.ways.compactMap { way in
            RefusalRule.end(of: way, since: begin, in: scene) ?? SilenceRule.end(of: way, since: begin, in: scene)
        }
        let named = Set(ends.compactMap { $0.places.count == 1 ? $0.places.first : nil })
        if let place = named.first, named.count == 1, ends.allSatisfy({ $0.places.contains(place) }) {
            let observations = ends.filter { $0.places.count == 1 }.flatMap(\.observations)
            return Fault(place, .outage, since: outage.since, observations)
        }
        if named.isEmpty, let end = ends.first { return unknown(outage, end.observations, end.missing, in: scene) }
        let text =
            ends.isEmpty
            ? "The routers on the way have not been seen before the outage, or not probed often enough since."
            : "IPv4 and IPv6 do not end at the same place."
        return unknown(outage, ends.flatMap(\.observations), text, in: scene)
    }

    private static func unknown(
        _ outage: FaultEvidence.OngoingOutage,
        _ observations: [FaultObservation],
        _ missing: String,
        in scene: FaultScene
    ) -> Fault {
        let says = FaultObservation(.state, at: scene.now, says: "No server on the internet answers.")
        let observations = [says] + observations + [scene.missing(missing)]
        return Fault(.unknown, .outage, since: outage.since, observations)
    }
}

/// The places at which a way may end, and how that is known.
struct WayEnd {
    var places: Set<FaultLocation>
    var observations: [FaultObservation]
    /// What is missing where there is more than one place.
    var missing: String
}
