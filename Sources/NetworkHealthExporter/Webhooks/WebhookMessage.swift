import FoundationEssentials
import NetworkHealth
import StrictYAML

/// What a webhook sends about an occurrence: as JSON, or in the words of a template.
struct WebhookMessage: Encodable, Sendable {
    var event: String
    var started: Date
    @Nullable var ended: Date?
    var seconds: Double
    @Nullable var cause: String?
    /// Where an outage, a fault or a lack of speed is, and whom to call.
    @Nullable var location: String?
    @Nullable var call: String?
    /// What it does, as a word and as a sentence, and how that is known.
    @Nullable var kind: String?
    @Nullable var sentence: String?
    @Nullable var evidence: [String]?
    /// The tests that were below the plan.
    @Nullable var shortfall: PlanShortfall?
    /// The uplink that is lost or in use, and the one before.
    @Nullable var uplink: String?
    @Nullable var previousUplink: String?
    /// The outages that are reported as one; 0 for all else.
    var outages: Int
    @Nullable var previousQuality: String?
    /// The network when the message was made; the receiver may get it later.
    var snapshot: SnapshotDocument

    init(_ occurrence: WebhookOccurrence, snapshot: SnapshotDocument) {
        event = occurrence.event.rawValue
        started = occurrence.started
        ended = occurrence.ended
        seconds = occurrence.seconds.rounded(toPlaces: 3)
        cause = occurrence.cause?.rawValue
        let place = occurrence.location ?? occurrence.shortfall?.location
        location = occurrence.fault?.fault.location ?? place?.rawValue
        call = occurrence.fault?.fault.call ?? place?.call
        kind = occurrence.fault?.fault.kind ?? occurrence.shortfall.map { _ in FaultKind.throughput.rawValue }
        sentence = occurrence.fault?.sentence ?? occurrence.shortfall?.sentence
        shortfall = occurrence.shortfall
        evidence = occurrence.fault?.fault.evidence
        (uplink, previousUplink) = (occurrence.uplink, occurrence.previousUplink)
        outages = occurrence.outages
        previousQuality = occurrence.previousQuality?.rawValue
        self.snapshot = snapshot
    }

    /// One line for people.
    var summary: String {
        let place = location.flatMap(FaultLocation.init).map { ", \($0.phrase)" } ?? ""
        let reason = cause.map { " (cause: \($0)\(place))" } ?? ""
        let several = outages > 1 ? ", \(outages) outages" : ""
        return switch WebhookEvent(rawValue: event) {
        case .lost: "Offline for \(StatusLine.time(seconds))\(reason)\(several)"
        case .restored: "Online again after \(StatusLine.time(seconds))\(reason)\(several)"
        case .fault, .faultEnded, .belowPlan: sentence ?? ""
        case .uplinkLost:
            "The uplink \(uplink ?? "") has not reached the internet for \(StatusLine.time(seconds))\(reason)"
        case .uplinkSwitched:
            previousUplink.map { "The path leads over the uplink \(uplink ?? ""), it led over \($0)" }
                ?? "The way behind the router of the uplink \(uplink ?? "") has changed"
        case .quality, nil:
            "Network quality is \(snapshot.quality ?? "unknown"), it was \(previousQuality ?? "unknown")"
        }
    }
}

/// The body of a webhook with `{{name}}` in place of what is known when it is sent.
///
/// Values are escaped for a JSON string; a value that is unknown is empty.
struct WebhookTemplate: Sendable, Equatable {
    /// What may stand between the braces.
    enum Placeholder: String, Sendable, CaseIterable {
        case event, started, ended, seconds, cause, location, call, kind, sentence, evidence
        case outages, quality, summary, interface, uplink
        case previousUplink = "previous_uplink"
        case previousQuality = "previous_quality"
        case connectionType = "connection_type"

        func value(in message: WebhookMessage) -> String {
            func text(_ date: Date?) -> String { date?.formatted(.iso8601) ?? "" }
            return switch self {
            case .event: message.event
            case .started: text(message.started)
            case .ended: text(message.ended)
            case .seconds: "\(message.seconds)"
            case .cause: message.cause ?? ""
            case .location: message.location ?? ""
            case .call: message.call ?? ""
            case .kind: message.kind ?? ""
            case .sentence: message.sentence ?? ""
            case .evidence: message.evidence?.joined(separator: " ") ?? ""
            case .uplink: message.uplink ?? ""
            case .previousUplink: message.previousUplink ?? ""
            case .outages: "\(message.outages)"
            case .quality: message.snapshot.quality ?? ""
            case .summary: message.summary
            case .interface: message.snapshot.interfaceName ?? ""
            case .previousQuality: message.previousQuality ?? ""
            case .connectionType: message.snapshot.connectionType
            }
        }
    }

    /// Why a text is no template.
    struct Mistake: Error, Equatable, CustomStringConvertible {
        /// The placeholder's place among all of them, from 1 on: its text may be a part of a secret.
        let number: Int

        var description: String {
            let names = Placeholder.allCases.map(\.rawValue).joined(separator: ", ")
            return "placeholder \(number) is unknown, expected one of: \(names)"
        }
    }

    private enum Piece: Sendable, Equatable {
        case text(String)
        case placeholder(Placeholder)
    }

    /// As it is in the configuration.
    let source: String
    private let pieces: [Piece]

    /// - Throws: `Mistake` for a name that is no placeholder; braces that are never closed are text.
    init(_ source: String) throws(Mistake) {
        var pieces: [Piece] = []
        var rest = source[...]
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
            let name = rest[open.upperBound..<close.lowerBound].filter { $0 != " " }
            // Each placeholder follows a text, which may be empty.
            guard let placeholder = Placeholder(rawValue: name) else { throw Mistake(number: pieces.count / 2 + 1) }
            pieces += [.text(String(rest[..<open.lowerBound])), .placeholder(placeholder)]
            rest = rest[close.upperBound...]
        }
        self.source = source
        self.pieces = pieces + [.text(String(rest))]
    }

    func body(_ message: WebhookMessage) -> [UInt8] {
        pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .text(let text): Array(text.utf8)
            case .placeholder(let placeholder):
                Array(JSONText.quoted(placeholder.value(in: message)).utf8.dropFirst().dropLast())
            }
        }
    }
}
