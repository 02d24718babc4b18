import Posix
import Probing
import Statistics

/// Where packets are lost (docs/where.md, "Loss").
enum LossRule {
    /// A fault, and the servers beside a hop, differ by so many standard errors.
    static let minExcess = 3.0
    /// Two hops, which are compared again and again.
    static let minHopExcess = 3.5
    /// A point that is so much better than the servers has not all of their loss.
    ///
    /// One that is so much worse than a later one is not used. The servers are asked less often than the last hop, and fewer
    /// standard errors clear it.
    static let maxDisagreement = 2.5
    static let maxServerDisagreement = 1.5
    /// A hop that has answered everything before the trouble is contradicted by more than a chance.
    static let maxTrustedDisagreement = 4.0
    /// What a way without a fault may lose, and the least loss that is one.
    static let usualRatio = 0.005
    static let minRatio = 0.02
    /// Below this share a loss is small, and takes many probes: seven minutes and a half of one each 1.05 s.
    static let smallRatio = 0.1
    static let manyProbes = 420
    /// With a larger share, so many losses suffice.
    static let fewLosses = 12.0
    /// Points are compared over the time in which they are probed often, of which this is the longest part.
    static let span = Duration.seconds(720)
    /// Of the servers, where the hops are not.
    static let shortSpan = Duration.seconds(150)
    /// Servers are asked less often: that they differ from the last hop, or one from the others, is so rare by chance.
    static let serverChance = 1e-5
    static let fewestServerLosses = 6
    /// What a hop has to have answered before: those of one search.
    ///
    /// One that leaves out a fifth has answered three by chance in half of the cases.
    static let fewestCalmAnswers = 5
    /// Of one that left out some before, it is so rare by chance that it leaves out so many more now.
    static let calmChance = 0.001
    /// Servers are asked less often than hops.
    static let oddSpan = Duration.seconds(1800)
    /// A loss of the servers that is reported while its place is not known.
    static let noticed = 0.05

    static func faults(in scene: FaultScene) -> [Fault] {
        // A line that this host fills drops packets, wherever its queue is.
        guard !scene.isFilledByHost else { return [] }
        return scene.ways.flatMap { way in
            let begin = scene.troubleBegin(on: way) ?? scene.now - shortSpan
            return faults(on: way, in: scene, since: max(begin, scene.recent(span)))
        }
    }

    private static func faults(on way: Way, in scene: FaultScene, since start: FaultScene.Instant) -> [Fault] {
        let points = way.hops.compactMap { hop -> (distance: Int, measure: LossMeasure)? in
            let calm = scene.calm[FaultScene.PointKey(family: way.family, distance: hop.distance)]?.tally
            let measures = scene.points(hop, way.family).map { LossMeasure($0.window, since: start, calm: calm) }
                .filter { $0.tally.probes >= FaultScene.fewestProbes }.sorted { $0.tally.probes > $1.tally.probes }
            guard let most = measures.first else { return nil }
            return (hop.distance, measures.first { $0.clears(most) } ?? most)
        }
        let servers = ServerLosses(scene, way.family, since: start)
        switch StepSearch(points, end: servers.together).result {
        case .none: return []
        case .found(let step) where step.after.isShared(behind: step.before):
            return [fault(step, on: way, isOneServer: servers.isOne, in: scene)]
        case .found, .undecided:
            let isOnWay = points.contains { $0.measure.isTrusted && $0.measure.isWorse(than: nil) }
            if !isOnWay, let odd = destination(on: way, in: scene) { return [odd] }
            guard let end = servers.together, end.tally.ratio >= noticed else { return [] }
            let lost = observation(end, nil, at: way.name(nil), in: scene)
            let probes = points.map(\.measure.tally.probes).max() ?? 0
            let doubtful = points.first { $0.measure.isWorse(than: nil) && !$0.measure.isTrusted }
            let missing =
                doubtful.map { "\(way.name($0.distance)), left out probes before, too, or was hardly asked then." }
                ?? "More probes to the routers are needed: there are \(probes), a small loss takes \(manyProbes)."
            return [scene.fault(.loss, at: [], [lost], missing: missing)]
        }
    }

    private static func fault(
        _ step: StepSearch<LossMeasure>.Step,
        on way: Way,
        isOneServer: Bool,
        in scene: FaultScene
    ) -> Fault {
        var places = way.places(from: step.start, to: step.end, .loss)
        if step.end == nil, isOneServer { places.insert(.destination) }
        var observations = [observation(step.after, step.before, at: way.name(step.end), in: scene)]
        if let before = step.before {
            observations.append(observation(before, nil, at: way.name(step.start), in: scene))
        }
        if places == [.link] { observations += LinkRule.hints(in: scene) }
        return scene.fault(
            .loss,
            at: places,
            observations,
            missing: scene.ambiguity(places, way, from: step.start, to: step.end)
        )
    }

    private static func observation(
        _ measure: LossMeasure,
        _ before: LossMeasure?,
        at point: String,
        in scene: FaultScene
    ) -> FaultObservation {
        let tally = measure.tally
        return FaultObservation(
            .loss,
            value: tally.ratio,
            threshold: before?.tally.ratio ?? usualRatio,
            at: scene.now,
            says: "\(tally.losses) of \(tally.probes) probes to \(point), were not answered."
        )
    }

    /// One server that loses what the others do not.
    private static func destination(on way: Way, in scene: FaultScene) -> Fault? {
        let servers = ServerLosses(scene, way.family, since: scene.recent(oddSpan))
        guard let (odd, rest) = servers.odd else { return nil }
        let observations = [
            observation(odd.measure, rest, at: odd.name, in: scene),
            observation(rest, nil, at: "the other servers", in: scene),
        ]
        return Fault(.destination, .loss, since: scene.now, observations)
    }
}

/// What a point has lost.
struct LossMeasure: PointMeasure {
    var tally: LossTally
    /// Of the time before; nil: not known.
    var calm: LossTally?
    /// Not in a row, as in a short outage.
    var isSpread = true
    /// Of the servers without the worst one, which alone proves nothing about the way; nil for a hop.
    var shared: LossTally?

    init(_ window: OutcomeWindow, since start: OutcomeWindow.Instant, calm: LossTally? = nil) {
        tally = window.tally(since: start)
        self.calm = calm
        let inARow = window.newest(since: start).list.split { $0 != nil }.map(\.count).max() ?? 0
        isSpread = inARow <= max(4, tally.losses / 3)
    }

    /// Of the servers.
    init(_ tally: LossTally, shared: LossTally) { (self.tally, self.shared) = (tally, shared) }

    var isSufficient: Bool { shared != nil || isSpread && isTrusted && Double(tally.probes) >= needed }

    /// A hop that left probes without an answer before, too, is not used for a loss, nor is one that was hardly asked before.
    var isTrusted: Bool {
        guard let calm, calm.answers >= LossRule.fewestCalmAnswers else { return false }
        return calm.losses == 0 || calm.chance(of: tally) < LossRule.calmChance
    }

    private var needed: Double {
        tally.ratio < LossRule.smallRatio ? Double(LossRule.manyProbes) : LossRule.fewLosses / tally.ratio
    }

    func isWorse(than nearer: LossMeasure?) -> Bool {
        guard let nearer else {
            return tally.losses >= 3 && tally.ratio >= LossRule.minRatio
                && tally.excess(over: LossRule.usualRatio) >= LossRule.minExcess
        }
        return nearer.tally.excess(of: shared ?? tally) >= (shared == nil ? LossRule.minHopExcess : LossRule.minExcess)
    }

    /// Whether the servers are worse than the last point even without the worst of them; true for a hop.
    ///
    /// They are asked seldom, and few losses are many by chance.
    func isShared(behind nearer: LossMeasure?) -> Bool {
        guard let shared else { return true }
        guard tally.losses >= LossRule.fewestServerLosses, LossMeasure(shared, shared: shared).isWorse(than: nil) else {
            return false
        }
        return nearer.map { $0.tally.chance(of: tally) < LossRule.serverChance } ?? false
    }

    func clears(_ nearer: LossMeasure) -> Bool {
        let most =
            shared != nil
            ? LossRule.maxServerDisagreement
            : nearer.isTrusted ? LossRule.maxTrustedDisagreement : LossRule.maxDisagreement
        return (shared ?? tally).excess(of: nearer.tally) > most
    }

    func isSpared(_ end: LossMeasure) -> Bool { !isWorse(than: nil) }

    func explains(_ end: LossMeasure) -> Bool { tally.excess(of: end.tally) < LossRule.maxDisagreement }
}

/// The losses of the servers of one family.
struct ServerLosses {
    private let measured: [(name: String, measure: LossMeasure)]

    init(_ scene: FaultScene, _ family: AddressFamily, since start: FaultScene.Instant) {
        measured = scene.servers(family).filter(\.showsLoss).map { ($0.name, LossMeasure($0.window, since: start)) }
            .filter { $0.measure.tally.probes > 0 }.sorted { $0.measure.tally.ratio < $1.measure.tally.ratio }
    }

    /// Of all; nil: not measured.
    var together: LossMeasure? {
        measured.isEmpty
            ? nil : LossMeasure(sum(measured[...]), shared: sum(measured.prefix(max(1, measured.count - 1))))
    }

    /// A fault of a single server looks like one of the way to it.
    var isOne: Bool { measured.count == 1 }

    /// One that loses what the others do not, and these.
    var odd: (one: (name: String, measure: LossMeasure), rest: LossMeasure)? {
        guard let worst = measured.last, measured.count > 1 else { return nil }
        let others = sum(measured.dropLast())
        let rest = LossMeasure(others, shared: others)
        guard worst.measure.isWorse(than: nil), !rest.isWorse(than: nil),
            others.chance(of: worst.measure.tally) < LossRule.serverChance
        else { return nil }
        return (worst, rest)
    }

    private func sum(_ list: ArraySlice<(name: String, measure: LossMeasure)>) -> LossTally {
        list.reduce(LossTally()) { $0 + $1.measure.tally }
    }
}
