import NetworkPath
import Posix
import Probing
import Statistics

/// The evidence of an instant, with what the locator remembers of before: what every rule reads.
struct FaultScene {
    typealias Instant = OutcomeWindow.Instant

    let evidence: FaultEvidence
    let now: Instant
    /// What was measured before is about an outage, a speed test or another path; nil: none of them is known.
    let quietSince: Instant?
    /// When the path last began to lead over another uplink; nil: it never did.
    let uplinkSince: Instant?
    /// Of the points on the way while nothing was wrong.
    let calm: [PointKey: CalmProbes]
    /// The errors that routers send while the internet is reached, and since when.
    let usual: [UsualRefusal: Instant]
    let ways: [Way]

    struct PointKey: Hashable {
        var family: AddressFamily
        /// 0: the pings to the router.
        var distance: Int
    }

    /// One kind of probes to a point on the way.
    struct Point {
        var key: PointKey
        var window: OutcomeWindow
        /// Its least round trip on this path; nil: the least one in the window.
        var minimum: Duration?
    }

    struct UsualRefusal: Hashable {
        var sender: IPAddress
        var meaning: Refusal.Meaning
    }

    init(
        _ evidence: FaultEvidence,
        at now: Instant,
        quietSince: Instant?,
        uplinkSince: Instant? = nil,
        calm: [PointKey: CalmProbes] = [:],
        usual: [UsualRefusal: Instant] = [:]
    ) {
        (self.evidence, self.now, self.calm, self.usual) = (evidence, now, calm, usual)
        (self.quietSince, self.uplinkSince) = (quietSince, uplinkSince)
        ways = evidence.hops.map { Way($0, in: evidence) }
    }

    /// The begin of a recent time, without what is not comparable.
    func recent(_ span: Duration) -> Instant { max(now - span, quietSince ?? now - span) }

    /// Since when the hops of a way are probed often; nil: they are not.
    ///
    /// Points compare over this time, and what is older shows how they are without trouble.
    func troubleBegin(on way: Way) -> Instant? {
        let begins = way.hops.compactMap { hop -> Instant? in
            hop.window.runBegin(gap: Self.probesOften).flatMap { begin in
                hop.window.tally(since: begin).probes >= Self.fewestProbes ? begin : nil
            }
        }
        return begins.min()
    }

    /// Probes follow each other so soon in trouble; and with fewer of them in a row, it is none yet.
    private static let probesOften = Duration.seconds(20)
    static let fewestProbes = 20

    /// The servers of a family that the points before them compare with.
    func servers(_ family: AddressFamily) -> [FaultEvidence.Server] {
        // One that is down itself says nothing about loss or delay.
        evidence.servers.filter { $0.showsWay && $0.family == family && $0.window.lossesInARow < Self.deadAfter }
    }

    /// After so many losses in a row a server is down.
    static let deadAfter = 10

    /// The probes to a hop: to the router its pings, too, of which the better ones count, since it may limit its answers to either.
    func points(_ hop: HopReport.Hop, _ family: AddressFamily) -> [Point] {
        let key = PointKey(family: family, distance: hop.distance)
        let probes = Point(key: key, window: hop.window, minimum: hop.minimum)
        guard hop.distance == 1, let pings, pings.key.family == family else { return [probes] }
        return [probes, pings]
    }

    /// The pings to the router.
    var pings: Point? {
        evidence.gateway.map { gateway in
            let key = PointKey(family: gateway.address.family, distance: 0)
            return Point(key: key, window: gateway.window, minimum: gateway.minimum)
        }
    }

    /// What a point has lost, without earlier troubles.
    func tally(of point: Point) -> LossTally {
        calm[point.key]?.tally(with: point.window, at: now) ?? point.window.tally()
    }

    /// The fault at the one place that is left, else at an unknown one, with what is missing.
    func fault(
        _ kind: FaultKind,
        at places: Set<FaultLocation>,
        _ observations: [FaultObservation],
        missing: @autoclosure () -> String
    ) -> Fault {
        if places.count == 1, let place = places.first, place.kinds.contains(kind) {
            return Fault(place, kind, since: now, observations)
        }
        return Fault(.unknown, kind, since: now, observations + [self.missing(missing())])
    }

    func missing(_ text: String) -> FaultObservation { FaultObservation(.missing, at: now, says: text) }

    /// What keeps a stretch from being one place, as a sentence.
    func ambiguity(_ places: Set<FaultLocation>, _ way: Way, from start: Int, to end: Int?) -> String {
        let names = FaultLocation.allCases.filter(places.contains).map(\.rawValue).joined(separator: " or ")
        return """
            The fault is between \(way.name(start)), and \(way.name(end)): \(names). Which of them, the routers between do not \
            show; hops.first_provider_hop says where the provider begins.
            """
    }
}
