import FoundationEssentials
import NetworkHealth
import Statistics

/// A fault as the stream and the webhooks report it: when it begins, and when it has ended.
struct FaultDocument: Encodable, Sendable, Equatable {
    var location: String
    var kind: String
    /// When its first evidence arrived.
    var since: Date
    /// nil while it holds.
    @Nullable var ended: Date?
    /// Its length so far.
    var seconds: Double
    var sentence: String
    /// Whom to call.
    var call: String
    /// The observations that it follows from, as sentences; at its end the last ones.
    var evidence: [String]

    init(_ fault: Fault, since: Date, ended: Date? = nil, seconds: Double) {
        (location, kind, call) = (fault.location.rawValue, fault.kind.rawValue, fault.location.call)
        (self.since, self.ended, self.seconds) = (since, ended, seconds.rounded(toPlaces: 3))
        sentence = ended == nil ? fault.sentence : "\(fault.title): over after \(StatusLine.time(seconds))."
        evidence = fault.observations.map(\.says)
    }

    /// - Parameters:
    ///   - fault: the fault.
    ///   - now: the current time, by the clock of faults.
    ///   - date: the same time.
    ///   - isOver: whether it ends now.
    init(_ fault: Fault, at now: OutcomeWindow.Instant, date: Date, isOver: Bool) {
        let seconds = fault.age(at: now).seconds
        self.init(fault, since: date - seconds, ended: isOver ? date : nil, seconds: seconds)
    }
}

extension Fault {
    /// How long it has been there.
    func age(at now: OutcomeWindow.Instant) -> Duration { max(.zero, since.duration(to: now)) }
}
