import MicroHTTP
import NetworkHealth
import StrictYAML

/// The question of a request to `/health`, parsed strictly: a mistyped parameter must not be answered with 200.
struct HealthQuestion: Sendable, Equatable {
    /// Why a query is invalid.
    struct Refusal: Error, Equatable {
        let message: String
    }

    /// A named requirement, or one made of the query's parameters.
    enum Subject: Sendable, Equatable {
        case named(String)
        case made(Requirement)
    }

    static let maxWait = Duration.seconds(300)
    private static let parameters = [
        "requirement", "quality", "uplink", "allow_expensive", "max_age", "wait", "format",
    ]

    var subject: Subject
    /// How long to wait until it is met.
    var wait: Duration

    /// - Parameters:
    ///   - items: the query.
    ///   - valid: the known requirements, for a message.
    ///   - uplinks: the names of the known uplinks; read only for a query that names one.
    ///   - requirement: the requirement of a name; nil if unknown.
    /// - Throws: what is wrong with the query.
    init(
        _ items: [Request.QueryItem],
        valid: @autoclosure () -> String,
        uplinks: @autoclosure () -> [String] = [],
        requirement: (String) -> Requirement?
    ) throws(Refusal) {
        let reader = Reader(items: items)
        if let unknown = items.first(where: { !Self.parameters.contains($0.name) }) {
            let known = Self.parameters.joined(separator: ", ")
            throw Refusal(message: "unknown parameter \(Self.quoted(unknown.name)); one of: \(known)")
        }
        _ = try reader.value("format", "json or text") { ["json", "text"].contains($0) ? $0 : nil }
        wait =
            try reader.value("wait", "a duration such as 30s or 2m, at most 5m") { text in
                DurationText.parse(text).flatMap { (.zero...Self.maxWait).contains($0) ? $0 : nil }
            } ?? .zero
        let allowsExpensive = try reader.value("allow_expensive", "true or false") {
            ["true": true, "false": false][$0]
        }
        let maxAge = try reader.value("max_age", DurationText.expectation, DurationText.parse)
        var made: Requirement
        do throws(Refusal) {
            made = try Self.named(reader, requirement)
        } catch {
            throw Refusal(message: "\(error.message); \(valid())")
        }
        if made.name == RequirementsSection.custom { made.quality = try Self.quality(reader) }
        guard try reader.text("quality") == nil || made.name == RequirementsSection.custom else {
            throw Refusal(message: "quality: only requirement=\(RequirementsSection.custom) takes it")
        }
        guard maxAge == nil || made.needsSpeed else {
            throw Refusal(
                message: "max_age: the requirement \(made.name) does not depend on a speed, and only speeds have an age"
            )
        }
        let uplink = try reader.text("uplink")
        if let uplink { try Self.check(uplink, among: uplinks()) }
        guard made.name == RequirementsSection.custom || allowsExpensive != nil || maxAge != nil || uplink != nil else {
            subject = .named(made.name)
            return
        }
        made.allowsExpensive = allowsExpensive ?? made.allowsExpensive
        made.maxAge = maxAge ?? made.maxAge
        made.uplink = uplink ?? made.uplink
        subject = .made(made)
    }

    private static func check(_ uplink: String, among known: [String]) throws(Refusal) {
        guard !known.contains(uplink) else { return }
        let valid = known.isEmpty ? "none is known" : "one of: \(known.joined(separator: ", "))"
        throw Refusal(message: uplink.isEmpty ? "empty uplink; \(valid)" : "unknown uplink \(quoted(uplink)); \(valid)")
    }

    /// The requirement that the query names; the one that is made of parameters has no quality yet.
    private static func named(
        _ reader: Reader,
        _ requirement: (String) -> Requirement?
    ) throws(Refusal) -> Requirement {
        let name = try reader.text("requirement") ?? Requirement.online.name
        if name == RequirementsSection.custom { return Requirement(name: name) }
        guard let known = requirement(name) else {
            throw Refusal(message: name.isEmpty ? "empty requirement" : "unknown requirement \(quoted(name))")
        }
        return known
    }

    /// The quality of a requirement that is made of parameters.
    private static func quality(_ reader: Reader) throws(Refusal) -> NetworkQuality {
        let qualities = NetworkQuality.allCases.filter { $0 != .offline }.map(\.rawValue)
        let expectation = "one of \(qualities.joined(separator: ", "))"
        let quality = try reader.value("quality", expectation) { text in
            qualities.contains(text) ? NetworkQuality(rawValue: text) : nil
        }
        guard let quality else {
            throw Refusal(message: "quality: requirement=\(RequirementsSection.custom) needs \(expectation)")
        }
        return quality
    }

    /// Reads the parameters of a query, each at most once.
    private struct Reader {
        let items: [Request.QueryItem]

        func text(_ name: String) throws(Refusal) -> String? {
            let values = items.filter { $0.name == name }
            guard values.count < 2 else { throw Refusal(message: "\(name): given \(values.count) times") }
            return values.first?.value
        }

        func value<Value>(
            _ name: String,
            _ expectation: String,
            _ parse: (String) -> Value?
        ) throws(Refusal) -> Value? {
            guard let text = try text(name) else { return nil }
            guard let value = parse(text) else {
                throw Refusal(message: "\(name): expected \(expectation), found \(quoted(text))")
            }
            return value
        }
    }

    /// For a message: printable, and no longer than a name can be.
    private static func quoted(_ text: String) -> String {
        JSONText.quoted(text.utf8.count <= 64 ? text : "\(text.prefix(61))...")
    }
}
