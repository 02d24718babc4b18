import FoundationEssentials
import NetworkHealth
import Statistics

/// A fault as the stream and the webhooks report it: when it begins, and when it has ended.
struct FaultEvent: Encodable, Sendable, Equatable {
    private enum CodingKeys: String, CodingKey {
        case ended, seconds, sentence
    }

    /// At its end with the last evidence.
    let fault: FaultDocument
    /// nil while it holds.
    let ended: Date?
    /// Its length so far.
    let seconds: Double
    /// What is wrong, where, and whom to call, or that it is over.
    let sentence: String

    /// - Parameters:
    ///   - fault: the fault.
    ///   - since: when its first evidence arrived.
    ///   - ended: when it ended; nil while it holds.
    ///   - seconds: its length so far.
    init(_ fault: Fault, since: Date, ended: Date? = nil, seconds: Double) {
        self.fault = FaultDocument(fault, since: since)
        (self.ended, self.seconds) = (ended, seconds.rounded(toPlaces: 3))
        sentence = ended == nil ? fault.sentence : "\(fault.title): over after \(StatusLine.time(seconds))."
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

    /// The fields of the fault, and its own beside them.
    func encode(to encoder: any Encoder) throws {
        try fault.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ended, forKey: .ended)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(sentence, forKey: .sentence)
    }
}

extension Fault {
    /// How long it has been there.
    func age(at now: OutcomeWindow.Instant) -> Duration { max(.zero, since.duration(to: now)) }
}
