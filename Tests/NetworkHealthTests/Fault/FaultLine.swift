import NetworkPath
import Posix
import Probing
import Statistics

@testable import NetworkHealth

/// Evidence as a line gives it: some calm probes, then a time of trouble, one probe a second.
struct FaultLine {
    static let now = ContinuousClock().now
    static let addresses = ["192.168.1.1", "198.51.100.1", "198.51.100.9", "203.0.113.5"]

    var evidence = FaultEvidence()
    private let calm: Int
    var now: ContinuousClock.Instant { Self.now }

    /// - Parameters:
    ///   - addresses: of the hops; nil: one that never answers.
    ///   - calm: how many probes there were before, in milliseconds at best.
    ///   - probes: how many a second each there were in the trouble, and every tenth of it to each server.
    ///   - outcome: by distance, 0 for the servers, and the number of the probe: milliseconds, nil for a loss.
    init(
        _ addresses: [String?] = Self.addresses,
        calm: Int = 20,
        probes: Int = 0,
        outcome: (_ distance: Int, _ number: Int) -> Double? = { _, _ in 10 }
    ) {
        self.calm = calm
        var path = Path(status: .satisfied)
        path.interface = Interface(name: "eth0", index: 2, type: .wiredEthernet)
        evidence.path = path
        evidence.isOnline = true
        var report = HopReport(family: .ipv4)
        for (index, address) in addresses.enumerated() {
            var hop = HopReport.Hop(distance: index + 1)
            hop.addresses = [address.flatMap { IPAddress($0) }].compactMap(\.self)
            hop.minimum = address == nil ? nil : .milliseconds(10)
            hop.window = Self.window(calm: calm, every: 300, best: address == nil ? nil : 10, probes: probes, every: 1)
            {
                address == nil ? nil : outcome(index + 1, $0)
            }
            report.hops.append(hop)
        }
        evidence.hops = [report]
        for name in ["one", "two", "three"] {
            var server = FaultEvidence.Server(name, .ipv4)
            server.minimum = .milliseconds(10)
            server.window = Self.window(calm: 30, every: 10, best: 10, probes: probes / 5, every: 5) { outcome(0, $0) }
            evidence.servers.append(server)
        }
    }

    private static func window(
        calm: Int,
        every calmPace: Int,
        best: Double?,
        probes: Int,
        every pace: Int,
        outcome: (Int) -> Double?
    ) -> OutcomeWindow {
        var window = OutcomeWindow(capacity: 600)
        let begin = now - .seconds(probes * pace + 60)
        func value(_ milliseconds: Double?) -> Duration? { milliseconds.map { .microseconds(Int64($0 * 1000)) } }
        for number in 0..<calm { window.push(value(best), at: begin - .seconds((calm - number) * calmPace)) }
        for number in 0..<probes { window.push(value(outcome(number)), at: now - .seconds((probes - number) * pace)) }
        return window
    }

    var scene: FaultScene {
        let known = evidence.hops[0].hops.map { hop in
            let key = FaultScene.PointKey(family: .ipv4, distance: hop.distance)
            let (before, counted) = hop.window.added(after: 0, until: now - .seconds(1000))
            // A full window has the trouble alone.
            let tally =
                hop.window.isFull
                ? LossTally(probes: calm) : LossTally(probes: before.count, losses: before.count { $0 == nil })
            return (key, CalmProbes(tally, counted: counted))
        }
        return FaultScene(evidence, at: now, quietSince: nil, calm: Dictionary(uniqueKeysWithValues: known))
    }

    /// With an outage that began so many seconds ago, and what routers said so many seconds ago.
    func offline(
        _ cause: OutageCause = .noInternet,
        for seconds: Int = 20,
        refusals: [(sender: String, code: UInt8, distance: Int?, age: Int)] = []
    ) -> FaultLine {
        var line = self
        line.evidence.isOnline = false
        line.evidence.outage = FaultEvidence.OngoingOutage(cause, since: now - .seconds(seconds))
        for refusal in refusals {
            guard let sender = IPAddress(refusal.sender), let destination = IPAddress("192.0.2.1") else { continue }
            line.evidence.hops[0].refusals.append(
                Refusal(
                    sender: sender,
                    destination: destination,
                    type: 3,
                    code: refusal.code,
                    distance: refusal.distance,
                    at: now - .seconds(refusal.age)
                )
            )
        }
        return line
    }
}

extension [Fault] {
    /// The places as text.
    var places: [String] { map(\.location.rawValue) }
    var sentences: String { flatMap(\.observations).map(\.says).joined(separator: " ") }
}
