import FoundationEssentials
import NetworkHealth
import Statistics

/// A fault of now, as the snapshot, the status and the diagnosis have it: what is wrong, where, since when, whom to call, and how that is known.
struct FaultDocument: Codable, Sendable, Equatable {
    var kind: String
    var location: String
    /// Both as a few words.
    var title: String
    /// Whom to call.
    var call: String
    var since: Date
    /// The evidence, as sentences.
    var evidence: [String]

    init(_ fault: Fault, since: Date) {
        (kind, location) = (fault.kind.rawValue, fault.location.rawValue)
        (title, call) = (fault.title, fault.location.call)
        (self.since, evidence) = (since, fault.observations.map(\.says))
    }

    /// `now` and `date` are the same time.
    init(_ fault: Fault, now: OutcomeWindow.Instant, date: Date) {
        self.init(fault, since: date - fault.since.duration(to: now).seconds)
    }
}

extension Fault {
    /// More of them no exporter sends.
    private static let mostSentences = 32
    private static let longestSentence = 400

    /// What the exporter of the host has found; nil for words that this version does not know.
    ///
    /// - Parameters:
    ///   - document: from outside.
    ///   - taken: when it was written, by the clock that `since` is of.
    ///   - now: when it arrived.
    init?(_ document: FaultDocument, taken: Date, now: OutcomeWindow.Instant) {
        guard let kind = FaultKind(rawValue: document.kind), !document.evidence.isEmpty,
            let location = FaultLocation(rawValue: document.location), location.kinds.contains(kind)
        else { return nil }
        let observations = document.evidence.prefix(Self.mostSentences).map {
            FaultObservation(.state, at: now, says: String($0.prefix(Self.longestSentence)))
        }
        self.init(location, kind, since: now - Duration(from: document.since, to: taken), observations)
    }
}
