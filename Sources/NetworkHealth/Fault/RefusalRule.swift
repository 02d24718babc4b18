import Posix
import Probing

/// Where nothing passes: a router says that it has no route, or that it rejects.
enum RefusalRule {
    /// An error that is older says nothing about now: an outage is probed every 30 s at least.
    static let maxAge = Duration.seconds(90)
    /// A single error may be about one passing packet.
    static let fewest = 2
    /// A router that refused before the outage began, by more than this, refuses for another reason.
    static let usualBefore = Duration.seconds(10)

    /// nil where no router says why.
    static func end(of way: Way, since start: FaultScene.Instant, in scene: FaultScene) -> WayEnd? {
        let answering = SilenceRule.lastAnswering(on: way, since: start, in: scene)
        // The errors of routers of another path may arrive after it was left.
        let arrival = scene.uplinkSince.map { $0 + SilenceRule.margin } ?? start
        let earliest = max(start, scene.now - maxAge, arrival)
        let current = scene.refusals(way.family).filter { refusal in
            guard refusal.at >= earliest, let distance = distance(of: refusal, on: way, in: scene)
            else { return false }
            // Packets pass a router behind which another one answers.
            return distance >= answering && !isUsual(refusal, since: start, in: scene)
        }
        for meaning in [Refusal.Meaning.noRoute, .rejected] {
            let refusals = current.filter { $0.meaning == meaning }
            guard refusals.count >= fewest, let last = refusals.last else { continue }
            return WayEnd(
                places: refusals.reduce(into: []) { $0.formUnion(places(of: $1, on: way, in: scene)) },
                observations: [observation(last, on: way, in: scene)],
                missing:
                    "The router that says so may be yours or your provider's: hops.first_provider_hop says where it begins."
            )
        }
        return nil
    }

    private static func places(of refusal: Refusal, on way: Way, in scene: FaultScene) -> Set<FaultLocation> {
        guard refusal.meaning == .noRoute, let distance = distance(of: refusal, on: way, in: scene) else {
            return [.policy]
        }
        return way.places(behindRouter: distance)
    }

    /// How far the sender is away: by its place among the hops, else by the TTL; nil: not known, or this host itself.
    private static func distance(of refusal: Refusal, on way: Way, in scene: FaultScene) -> Int? {
        if scene.evidence.ownAddresses.contains(refusal.sender) { return nil }
        if let hop = way.hops.first(where: { $0.addresses.contains(refusal.sender) }) { return hop.distance }
        if refusal.sender == scene.evidence.gateway?.address { return 1 }
        return refusal.distance.flatMap { $0 > 0 ? $0 : nil }
    }

    private static func isUsual(_ refusal: Refusal, since start: FaultScene.Instant, in scene: FaultScene) -> Bool {
        guard let meaning = refusal.meaning else { return true }
        let usual = scene.usual[FaultScene.UsualRefusal(sender: refusal.sender, meaning: meaning)]
        return usual.map { $0 < start - usualBefore } ?? false
    }

    private static func observation(_ refusal: Refusal, on way: Way, in scene: FaultScene) -> FaultObservation {
        let distance = distance(of: refusal, on: way, in: scene)
        let isNamed = way.hops.contains { $0.distance == distance && $0.addresses.last == refusal.sender }
        let name =
            isNamed
            ? way.name(distance)
            : distance == 1 ? "\(refusal.sender), the far side of your router" : "\(refusal.sender)"
        return FaultObservation(
            .refusal,
            value: distance.map(Double.init),
            at: refusal.at,
            says: "\(name), answers: \(refusal.words)."
        )
    }
}

extension FaultScene {
    /// What routers said about probes of any kind over a family, the oldest first.
    func refusals(_ family: AddressFamily) -> [Refusal] {
        evidence.hops.first { $0.family == family }?.refusals ?? []
    }
}

extension Refusal {
    /// The names of RFC 792, RFC 1812 and RFC 4443.
    fileprivate var words: String {
        switch (sender.family, type, code) {
        case (.ipv4, 3, 0): "network unreachable"
        case (.ipv4, 3, 1): "host unreachable"
        case (.ipv4, 3, 3), (.ipv6, 1, 4): "port unreachable"
        case (.ipv4, 3, 9), (.ipv4, 3, 10), (.ipv4, 3, 13): "communication administratively prohibited"
        case (.ipv6, 1, 0): "no route to destination"
        case (.ipv6, 1, 1): "communication administratively prohibited"
        case (.ipv6, 1, 3): "address unreachable"
        case (.ipv6, 1, 5): "source address failed ingress or egress policy"
        case (.ipv6, 1, 6): "route to destination rejected"
        default: "ICMP type \(type), code \(code)"
        }
    }
}
