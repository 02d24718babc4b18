import FoundationEssentials
import MicroHTTP
import NetworkHealth
import Posix
import Probing
import Statistics

/// `/api/v1/diagnosis`: the faults of now with their evidence, and the points on the way; unknown is `null`.
struct DiagnosisDocument: Codable, Sendable {
    static let path = "/api/v1/diagnosis"

    /// A point on the way, the nearest first.
    struct Point: Codable, Sendable {
        var name: String
        @Nullable var address: String?
        var family: String
        @Nullable var rttSeconds: Double?
        @Nullable var lossRatio: Double?
        /// The probes that these values are of.
        var samples: Int
        var method: String
    }

    struct Evidence: Codable, Sendable {
        var what: String
        @Nullable var value: Double?
        @Nullable var threshold: Double?
        var at: Date
        var says: String
    }

    var faults: [FaultDocument]
    var sentence: String
    var points: [Point]
    var evidence: [Evidence]

    init(
        _ faults: [Fault],
        _ known: FaultEvidence,
        _ hops: [ShownHop],
        isHostSilent: Bool = false,
        now: OutcomeWindow.Instant,
        date: Date
    ) {
        func dated(_ instant: OutcomeWindow.Instant) -> Date { date - instant.duration(to: now).seconds }
        self.faults = faults.map { FaultDocument($0, now: now, date: date) }
        sentence = Self.sentence(faults, known, isHostSilent)
        points = Self.points(known, hops)
        evidence = faults.flatMap(\.observations).map {
            Evidence(
                what: $0.what.rawValue,
                value: $0.value?.toFiveDigits,
                threshold: $0.threshold?.toFiveDigits,
                at: dated($0.at),
                says: $0.says
            )
        }
    }
}

extension DiagnosisDocument {
    /// The fault nearest to this host, in one sentence.
    private static func sentence(_ faults: [Fault], _ known: FaultEvidence, _ isHostSilent: Bool) -> String {
        guard let first = faults.first else {
            return switch known.isOnline {
            case _ where isHostSilent: "The exporter of the host is silent: what is wrong on its way is not known."
            case true?: online(known)
            case false?: "The internet is not reached. Where the fault is, is not known yet."
            case nil: "Nothing is known yet."
            }
        }
        return first.sentence
    }

    /// Several services that fail are no fault of a place, and yet something is wrong.
    private static func online(_ known: FaultEvidence) -> String {
        let failing = known.servers.filter { $0.window.lossesInARow >= 5 }.map(\.name)
        guard !failing.isEmpty else { return "Nothing is wrong that can be seen from here." }
        let more = failing.count > 5 ? " and \(failing.count - 5) more" : ""
        return "No fault of the connection is known. These fail: \(failing.prefix(5).joined(separator: ", "))\(more)."
    }

    private static func points(_ known: FaultEvidence, _ hops: [ShownHop]) -> [Point] {
        let router = known.gateway.map {
            Point("router", address: "\($0.address)", family: $0.address.family.rawValue, $0.window, method: "icmp")
        }
        let ways = hops.map { shown in
            Point(
                "hop \(shown.hop.distance): \(shown.location.rawValue)",
                address: shown.hop.addresses.last.map { "\($0)" },
                family: shown.family.rawValue,
                shown.hop.window,
                method: "ttl"
            )
        }
        let servers = known.servers.map {
            Point($0.name, address: nil, family: $0.family.rawValue, $0.window, method: "probes")
        }
        return [router].compactMap(\.self) + ways + servers
    }
}

extension DiagnosisDocument.Point {
    /// A point by its last 100 probes.
    init(_ name: String, address: String?, family: String, _ window: OutcomeWindow, method: String) {
        let outcomes = window.newest(100)
        (self.name, self.address, self.family, self.method) = (name, address, family, method)
        samples = outcomes.count
        rttSeconds = outcomes.median?.seconds.toMicroseconds
        lossRatio = outcomes.lossRatio?.toFiveDigits
    }
}
