import Glibc
import Posix
import Probing
import Statistics

/// Where nothing passes: which routers still answer, and which are silent that answered before.
enum SilenceRule {
    /// What a point on the way does in an outage.
    enum Sign: Equatable {
        case answers
        /// After so many probes.
        case silent(probes: Int)
        /// Too few probes since the outage began.
        case undecided
        /// It has never answered.
        case never
    }

    /// An answer may be to a probe of before the outage, whose begin is known to a few seconds.
    static let margin = Duration.seconds(5)
    /// A silence proves something where chance makes it so rare, by how often the hop answers else.
    static let chance = 0.001
    static let fewestProbes = 3
    /// With so many losses in a row, that are so rare by chance, a point may be silent.
    private static let doubt = 0.1

    static func end(of way: Way, since start: FaultScene.Instant, in scene: FaultScene) -> WayEnd? {
        let last = lastAnswering(on: way, since: start, in: scene)
        let nearer = way.hops.first { $0.distance == last }?.window.tally(since: start) ?? LossTally()
        // So much is lost behind it by chance, too.
        let usual = nearer.losses > 0 ? mostLost(nearer) : 0
        let behind = way.hops.filter { $0.distance > last }
            .map { ($0, sign(of: $0, on: way, since: start, usual: usual, in: scene)) }
        guard let (hop, sign) = behind.first(where: { $0.1 != .never }) else {
            // No hop behind it has ever answered: nothing but the servers is silent.
            if last == 0 { return silentRouter(on: way, in: scene) }
            return areServersSilent(on: way, since: start, nearer, in: scene)
                ? end(way, from: last, to: nil, probes: nil, in: scene) : nil
        }
        guard case .silent(let probes) = sign else { return nil }
        if last == 0, hop.distance > 1, let router = silentRouter(on: way, in: scene) { return router }
        if last == 0, hop.distance == 1, scene.evidence.gateway?.answersKernel(since: start + margin) ?? false {
            let missing = "Your router is silent, and still answers the kernel of this computer: it may forward or not."
            return WayEnd(places: [], observations: [], missing: missing)
        }
        return end(way, from: last, to: hop.distance, probes: probes, in: scene)
    }

    /// Whether none of them has answered in the outage, and that is rare by chance after what the last hop that answers has lost.
    private static func areServersSilent(
        on way: Way,
        since start: FaultScene.Instant,
        _ nearer: LossTally,
        in scene: FaultScene
    ) -> Bool {
        let windows = scene.evidence.servers.filter { $0.family == way.family && $0.showsLoss }.map(\.window)
        guard windows.allSatisfy({ $0.tally(since: start + margin).answers == 0 }) else { return false }
        let losses = windows.reduce(0) { $0 + $1.tally(since: start).losses }
        return nearer.losses == 0 && nearer.probes >= fewestProbes
            || pow(mostLost(nearer), Double(losses)) < chance
    }

    /// Two standard errors above the share that was lost: of a few probes, few may have been lost by chance.
    static func mostLost(_ tally: LossTally) -> Double {
        let share = Self.share(tally)
        return min(1, share + 2 * (share * (1 - share) / Double(max(1, tally.probes))).squareRoot())
    }

    /// How likely a point loses so many in a row by chance, by what it has lost before.
    ///
    /// Each loss more says that it leaves out more (Jeffreys' prior): of one that has answered all of a few probes, little is
    /// known. Where it has lost some, so may others have been lost with them.
    private static func chance(ofLosing count: Int, after before: LossTally, usual: Double) -> Double {
        let least = max(usual, before.losses > 0 ? mostLost(before) : 0)
        return (0..<count).reduce(1) { chance, number in
            let next = (Double(before.losses + number) + 0.5) / (Double(before.probes + number) + 1)
            return chance * max(least, next)
        }
    }

    /// Half a loss more than there were: those to come may be lost, too.
    private static func share(_ tally: LossTally) -> Double {
        (Double(tally.losses) + 0.5) / (Double(tally.probes) + 0.5)
    }

    /// The farthest hop that answers; 0: none does.
    static func lastAnswering(on way: Way, since start: FaultScene.Instant, in scene: FaultScene) -> Int {
        let hops = way.hops.last { sign(of: $0, on: way, since: start, in: scene) == .answers }?.distance ?? 0
        guard hops == 0 else { return hops }
        return isRouterThere(on: way, since: start, in: scene) ? 1 : 0
    }

    /// Whether the router answers a ping, or has never answered one and answers the kernel.
    private static func isRouterThere(on way: Way, since start: FaultScene.Instant, in scene: FaultScene) -> Bool {
        guard let gateway = scene.evidence.gateway else { return false }
        switch sign(of: [scene.pings].compactMap(\.self), hasAddress: false, since: start, in: scene) {
        case .answers: return gateway.address.family == way.family
        case .never:
            return gateway.answersKernel(since: start + margin) && !way.hops.contains { $0.distance == 1 }
        case .silent, .undecided: return false
        }
    }

    /// The router has never answered a probe: the kernel alone knows whether it is there.
    private static func silentRouter(on way: Way, in scene: FaultScene) -> WayEnd? {
        guard let gateway = scene.evidence.gateway, gateway.address.family == way.family else { return nil }
        let silences = max(gateway.silences, gateway.window.lossesInARow)
        guard gateway.isNeighbour == false, silences >= fewestProbes else { return nil }
        // The pings to the router of another path are known for a moment after it was left.
        if let since = scene.uplinkSince, scene.now < since + margin { return nil }
        let places = way.places(from: 0, to: 1, .outage)
        let says = "\(gateway.address), your router, answers neither pings nor the kernel of this computer."
        let silence = FaultObservation(.silence, value: Double(silences), at: scene.now, says: says)
        return WayEnd(places: places, observations: [silence], missing: scene.ambiguity(places, way, from: 0, to: 1))
    }

    private static func sign(
        of hop: HopReport.Hop,
        on way: Way,
        since start: FaultScene.Instant,
        usual: Double = 0,
        in scene: FaultScene
    ) -> Sign {
        sign(of: scene.points(hop, way.family), hasAddress: true, since: start, usual: usual, in: scene)
    }

    /// Of a point with several kinds of probes: one answer suffices, and all that are lost count together.
    ///
    /// `usual` is the share that is lost before the point.
    private static func sign(
        of points: [FaultScene.Point],
        hasAddress: Bool,
        since start: FaultScene.Instant,
        usual: Double = 0,
        in scene: FaultScene
    ) -> Sign {
        var (losses, byChance, hasAnswered, answers) = (0, 1.0, false, false)
        for point in points {
            let window = point.window
            let known = scene.tally(of: point)
            guard known.answers > 0 else { continue }
            hasAnswered = true
            answers = answers || window.tally(since: start + margin).answers > 0
            let lost = min(window.lossesInARow, window.tally(since: start).losses)
            losses += lost
            // Of all before them, also in the outage.
            let before = LossTally(probes: known.probes - lost, losses: known.losses - lost)
            byChance *= chance(ofLosing: lost, after: before, usual: usual)
        }
        guard hasAnswered else { return hasAddress ? .undecided : .never }
        if losses >= fewestProbes, byChance < chance { return .silent(probes: losses) }
        return answers && byChance >= doubt ? .answers : .undecided
    }

    private static func end(_ way: Way, from start: Int, to end: Int?, probes: Int?, in scene: FaultScene) -> WayEnd {
        let places = way.places(from: start, to: end, .outage)
        var observations: [FaultObservation] = []
        if start > 0 {
            observations.append(FaultObservation(.answers, at: scene.now, says: "\(way.name(start)), answers."))
        }
        if let probes {
            observations.append(
                FaultObservation(
                    .silence,
                    value: Double(probes),
                    threshold: Double(fewestProbes),
                    at: scene.now,
                    says:
                        "\(way.name(end)), is silent: \(probes) probes in a row have no answer, and it answered before."
                )
            )
        } else {
            observations.append(
                FaultObservation(.silence, at: scene.now, says: "The servers on the internet are silent.")
            )
        }
        return WayEnd(
            places: places,
            observations: observations,
            missing: scene.ambiguity(places, way, from: start, to: end)
        )
    }
}

extension FaultEvidence.Gateway {
    /// Whether it has answered the kernel since then: without an answer the kernel believes an address for up to 45 s.
    fileprivate func answersKernel(since start: OutcomeWindow.Instant) -> Bool {
        isNeighbour == true && confirmedAt.map { $0 >= start } ?? true
    }
}
