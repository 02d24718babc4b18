import NetworkPath
import Posix
import Probing
package import Statistics

/// Decides where faults are, and how that is known: evidence and the time in, faults out.
///
/// It names a place only on the evidence that the rules list. Where something is wrong and they do not decide, the place is unknown, and
/// the last observation of the fault says what is missing.
package struct FaultLocator: Sendable {
    package typealias Instant = OutcomeWindow.Instant

    /// What is measured in the first seconds after an outage or a speed test may still be about it.
    static let settling = Duration.seconds(10)
    private static let mostUsual = 64
    /// In which hops lose probes, or answer late.
    private static let trouble: Set<FaultKind> = [.outage, .loss, .latency]

    private var hold = FaultHold()
    private var quietSince: Instant?
    private var uplink: Uplink?
    /// When the path last began to lead over it; nil: since the start.
    private var uplinkSince: Instant?
    /// Of the outage at the last update.
    private var cause: OutageCause?
    private var calm: [FaultScene.PointKey: CalmProbes] = [:]
    private var usual: [FaultScene.UsualRefusal: Instant] = [:]

    package init() {}

    /// What was found at the last update, and may not begin yet: a fault begins at most once in 30 s.
    package var heldBack: [Fault] { hold.heldBack }

    /// The faults that hold, the nearest to this host first.
    package mutating func update(_ evidence: FaultEvidence, at now: Instant) -> [Fault] {
        follow(evidence, at: now)
        let scene = FaultScene(
            evidence,
            at: now,
            quietSince: quietSince,
            uplinkSince: uplinkSince,
            calm: calm,
            usual: usual
        )
        var found = OutageRule.faults(in: scene) + LinkRule.faults(in: scene) + HostRule.faults(in: scene)
        found += ThroughputRule.faults(in: scene) + DNSRule.faults(in: scene) + DestinationRule.faults(in: scene)
        found += PacketSizeRule.faults(in: scene)
        if evidence.outage == nil, !evidence.isTesting {
            found += LossRule.faults(in: scene) + DelayRule.faults(in: scene)
            rememberRefusals(scene)
        }
        let faults = hold.update(found, keepsOutages: evidence.outage?.cause == cause, at: now)
        cause = evidence.outage?.cause
        let isTrouble =
            evidence.outage != nil || evidence.isTesting || faults.contains { Self.trouble.contains($0.kind) }
        rememberCalm(scene, isWell: !isTrouble)
        return faults
    }

    /// What was measured before an outage ended, under a speed test, or over another path, is not comparable.
    private mutating func follow(_ evidence: FaultEvidence, at now: Instant) {
        if evidence.outage != nil || evidence.isTesting { quietSince = now + Self.settling }
        if let new = evidence.path.flatMap(Uplink.init), new != uplink {
            if uplink != nil { (quietSince, uplinkSince, hold) = (now, now, FaultHold()) }
            (uplink, calm, usual) = (new, [:], [:])
        }
    }

    /// What the routers answer while nothing is wrong.
    private mutating func rememberCalm(_ scene: FaultScene, isWell: Bool) {
        let hops = scene.ways.flatMap { way in way.hops.flatMap { scene.points($0, way.family) } }
        for point in hops + [scene.pings].compactMap(\.self) {
            calm[point.key, default: CalmProbes()].add(point.window, isWell: isWell, at: scene.now)
        }
    }

    /// What the routers refuse while the internet is well.
    private mutating func rememberRefusals(_ scene: FaultScene) {
        guard scene.evidence.isOnline == true else { return }
        for way in scene.ways {
            for refusal in scene.refusals(way.family) where refusal.at >= quietSince ?? refusal.at {
                guard let meaning = refusal.meaning, usual.count < Self.mostUsual else { continue }
                let key = FaultScene.UsualRefusal(sender: refusal.sender, meaning: meaning)
                usual[key] = min(usual[key] ?? refusal.at, refusal.at)
            }
        }
    }
}

/// Large packets vanish, and no router says so.
enum PacketSizeRule {
    static func faults(in scene: FaultScene) -> [Fault] {
        guard !scene.evidence.smallPackets.isEmpty, scene.evidence.outage == nil else { return [] }
        let observations = AddressFamily.allCases.compactMap { family -> FaultObservation? in
            guard let found = scene.evidence.smallPackets[family] else { return nil }
            let name = family == .ipv4 ? "IPv4" : "IPv6"
            let largest = found.map { "the largest that arrive have \($0) bytes" } ?? "small ones arrive"
            let says = "Large packets vanish over \(name), and no router says so; \(largest)."
            return FaultObservation(.size, value: found.map(Double.init), threshold: 1500, at: scene.now, says: says)
        }
        if scene.evidence.path?.interface?.isTunnel == true {
            return [Fault(.vpn, .mtu, since: scene.now, observations)]
        }
        let missing = scene.missing("Which router drops them cannot be seen: it does not say so.")
        return [Fault(.unknown, .mtu, since: scene.now, observations + [missing])]
    }
}
