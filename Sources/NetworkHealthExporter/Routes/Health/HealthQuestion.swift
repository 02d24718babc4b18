import NetworkHealth
import StrictYAML

/// What somebody asks `/health`, read from the query.
struct HealthQuestion: Sendable, Equatable {
    /// Why a query is no question.
    struct Refusal: Error, Equatable {
        let message: String
    }

    /// One that has a name, or one that was made of the query's parameters.
    enum Subject: Sendable, Equatable {
        case named(String)
        case made(Requirement)
    }

    static let longestWait = Duration.seconds(300)

    var subject = Subject.named(Requirement.online.name)
    /// How long to wait until it holds.
    var wait = Duration.zero

    /// - Parameters:
    ///   - values: all values of a parameter, decoded, in their order.
    ///   - requirement: the one of that name; nil where there is none.
    /// - Throws: what is wrong with the query. Parameters that nobody knows are left to whoever put them there.
    init(
        _ values: (String) -> [String],
        requirement: (String) -> Requirement?
    ) throws(Refusal) {
        func single(_ name: String) throws(Refusal) -> String? {
            let values = values(name)
            guard values.count < 2 else { throw Refusal(message: "\(name): given \(values.count) times") }
            return values.first
        }
        func parsed<Value>(
            _ name: String,
            _ expectation: String,
            _ parse: (String) -> Value?
        ) throws(Refusal) -> Value? {
            guard let text = try single(name) else { return nil }
            guard let value = parse(text) else {
                throw Refusal(message: "\(name): expected \(expectation), found \(Self.quoted(text))")
            }
            return value
        }
        let name = try single("requirement") ?? Requirement.online.name
        let qualities = NetworkQuality.allCases.filter { $0 != .offline }.map(\.rawValue)
        let quality = try parsed("quality", "one of \(qualities.joined(separator: ", "))") { text in
            qualities.contains(text) ? NetworkQuality(rawValue: text) : nil
        }
        let allowsExpensive = try parsed("allow_expensive", "true or false") { ["true": true, "false": false][$0] }
        let maxAge = try parsed("max_age", DurationText.expectation, DurationText.parse)
        wait =
            try parsed("wait", "\(DurationText.expectation), up to 5m") { text in
                DurationText.parse(text).flatMap { (.zero...Self.longestWait).contains($0) ? $0 : nil }
            } ?? .zero
        let isCustom = name == RequirementsSection.custom
        guard isCustom == (quality != nil) else {
            throw Refusal(message: isCustom ? "quality: \(name) needs it" : "quality: only custom has it")
        }
        guard var made = isCustom ? Requirement(name: name, quality: quality) : requirement(name) else {
            throw Refusal(message: name.isEmpty ? "empty requirement" : "unknown requirement \(Self.quoted(name))")
        }
        guard isCustom || allowsExpensive != nil || maxAge != nil else {
            subject = .named(name)
            return
        }
        made.allowsExpensive = allowsExpensive ?? made.allowsExpensive
        made.maxAge = maxAge ?? made.maxAge
        subject = .made(made)
    }

    /// For a message: no more than a name could have, and in printable characters.
    private static func quoted(_ text: String) -> String {
        JSONText.quoted(text.utf8.count <= 64 ? text : "\(text.prefix(61))...")
    }
}
