import Glibc
import Posix
import Statistics

/// One target alone is down while the internet is reached.
enum DestinationRule {
    static func faults(in scene: FaultScene) -> [Fault] {
        guard scene.evidence.isOnline == true, scene.evidence.outage == nil else { return [] }
        let (servers, fewest) = (scene.evidence.servers, scene.fewestSilences)
        let down = servers.filter { $0.window.lossesInARow >= fewest }
        // Several that fail at once may have something in common that is not theirs.
        guard down.count == 1, let server = down.first else { return [] }
        // So may all others that have not been asked since: an outage is seen first by what is probed most often.
        let others = servers.filter { $0.family == server.family && $0.name != server.name }
        guard let lastAnswer = others.compactMap(\.window.lastValueAt).max(),
            server.window.losses(inARowBefore: lastAnswer) >= fewest
        else { return [] }
        // Of a line that has just begun to lose most of its packets others get one through, too.
        let begin = max(server.window.lastValueAt ?? scene.now - LossRule.oddSpan, scene.recent(LossRule.oddSpan))
        guard scene.isRare(server.window, beside: others.map(\.window), since: begin) else { return [] }
        let says = "\(server.name) has failed \(server.window.lossesInARow) times in a row; others answer."
        let silence = FaultObservation(
            .silence,
            value: Double(server.window.lossesInARow),
            threshold: Double(fewest),
            at: scene.now,
            says: says
        )
        return [Fault(.destination, .outage, since: scene.now, [silence])]
    }
}

/// A configured name server is dead or slow while the internet is reached.
enum DNSRule {
    /// Each lookup that asks it first waits for so long, in seconds.
    static let slow = 1.0
    private static let fewestAnswers = 5
    private static let span = Duration.seconds(600)
    /// In which others are compared: of a line that has just begun to lose packets more is clean in a longer time.
    private static let besides = Duration.seconds(60)

    static func faults(in scene: FaultScene) -> [Fault] {
        guard scene.evidence.isOnline == true, scene.evidence.outage == nil else { return [] }
        let servers = scene.evidence.nameServers
        // Where none has ever answered, none may be asked like this: a firewall may drop the port, and names be found over TLS.
        let mayAsk = servers.contains { $0.window.lastValueAt != nil }
        let dead =
            mayAsk
            ? servers.filter { isAlone($0, in: scene) }
                .compactMap { silence(of: $0, in: scene, fewest: scene.fewestSilences) } : []
        // This process times the answers: where it waits for a processor, they are read late.
        let slow = scene.busyObservation == nil ? servers.compactMap { slowness(of: $0, in: scene) } : []
        return (dead.isEmpty ? [] : [Fault(.dns, .outage, since: scene.now, dead)])
            + (slow.isEmpty ? [] : [Fault(.dns, .latency, since: scene.now, slow)])
    }

    /// Whether what else is asked gets through so well that so many losses in a row are rare by chance.
    private static func isAlone(_ server: FaultEvidence.NameServer, in scene: FaultScene) -> Bool {
        let windows =
            scene.evidence.servers.map(\.window)
            + scene.evidence.nameServers.filter { $0.address != server.address }.map(\.window)
        return scene.isRare(server.window, beside: windows, since: scene.recent(besides))
    }

    static func silence(of server: FaultEvidence.NameServer, in scene: FaultScene, fewest: Int) -> FaultObservation? {
        var losses = server.window.lossesInARow
        if scene.evidence.outage == nil, let begin = scene.quietSince {
            // Those of an outage or of a speed test are not the server's.
            losses = min(losses, server.window.tally(since: begin).losses)
        }
        guard losses >= fewest else { return nil }
        let says = "\(server.address), a name server, does not answer: \(losses) questions in a row."
        return FaultObservation(.silence, value: Double(losses), threshold: Double(fewest), at: scene.now, says: says)
    }

    private static func slowness(of server: FaultEvidence.NameServer, in scene: FaultScene) -> FaultObservation? {
        let answers = server.window.newestValues(since: scene.recent(span)).map { $0 / .seconds(1) }
        guard answers.count >= fewestAnswers, let median = answers.median, median >= slow else { return nil }
        let tenths = (min(median, 1e6) * 10).rounded() / 10
        let says = "\(server.address), a name server, takes \(tenths) s to answer."
        return FaultObservation(.delay, value: median, threshold: slow, at: scene.now, says: says)
    }
}

extension FaultScene {
    /// A silence of one server on a line that loses packets is so rare by chance: each is asked again and again.
    private static let silenceChance = 1e-5

    /// How many losses in a row are a silence: five, and more on a line that loses packets.
    var fewestSilences: Int {
        let ratio = (recentLosses + newestLosses).map(\.ratio).max() ?? 0
        guard ratio > 0 else { return 5 }
        return max(5, Int((log(Self.silenceChance) / log(min(ratio, 0.95))).rounded(.up)))
    }

    /// Whether others lose so little in a time that as many losses in a row are rare by chance.
    fileprivate func isRare(_ silent: OutcomeWindow, beside others: [OutcomeWindow], since begin: Instant) -> Bool {
        let tally = others.reduce(LossTally()) { $0 + $1.tally(since: begin) }
        return tally.answers > 0
            && pow(SilenceRule.mostLost(tally), Double(silent.lossesInARow)) < Self.silenceChance
    }

    /// Why questions to name servers may be lost as other packets are, since then; nil: others get through.
    ///
    /// A server that answered shortly before is not down itself: of a line that loses most packets many are lost in a row. An
    /// answer is known at once and a loss after 2 s, so that a few answers alone do not show that others get through.
    func loss(since begin: Instant) -> String? {
        let answering = evidence.servers.filter {
            $0.showsWay && $0.showsLoss && ($0.window.lastValueAt.map { $0 >= begin - LossRule.shortSpan } ?? false)
        }
        let tallies = Dictionary(grouping: answering, by: \.family).values.map { servers in
            servers.reduce(LossTally()) { $0 + $1.window.tally(since: begin) }
        }
        if recentLosses.contains(where: { $0.ratio >= 0.2 && $0.losses >= 3 })
            || tallies.contains(where: { $0.ratio >= 0.2 })
        {
            return "Many packets are lost: questions to name servers may be among them."
        }
        return tallies.contains { $0.probes > 0 && $0.answers < Self.fewestAnswers }
            ? "Too few other questions were answered since, so that packets of all kinds may be lost." : nil
    }

    private static let fewestAnswers = 4

    /// Of those servers of each family that are not silent: what has just begun is a small share of all that is recent.
    private var newestLosses: [LossTally] {
        AddressFamily.allCases.map { family in
            servers(family).filter { $0.showsLoss && $0.window.lossesInARow < 5 }.reduce(LossTally()) { sum, server in
                let newest = server.window.newest(20).list
                return sum + LossTally(probes: newest.count, losses: newest.count { $0 == nil })
            }
        }
    }

    /// Of the servers of each family, also in an outage: a line that loses most packets is one now and then.
    private var recentLosses: [LossTally] {
        AddressFamily.allCases.compactMap {
            ServerLosses(self, $0, since: now - LossRule.shortSpan).together?.tally
        }
    }
}

extension OutcomeWindow {
    /// How many of the losses in a row, up to now, are older than an instant.
    fileprivate func losses(inARowBefore instant: Instant) -> Int { lossesInARow - tally(since: instant).losses }
}
