import FoundationEssentials

/// As much of an answer as tells whether it is a good one: `data` that is not null, and no `errors`.
struct GraphQLAnswer: Decodable {
    private enum CodingKeys: CodingKey {
        case data, errors
    }

    private struct Failure: Decodable {
        var message: String?
    }

    /// In characters: a server may say anything.
    private static let messageLimit = 200

    private let hasData: Bool
    private let failures: [Failure]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hasData = try container.contains(.data) && !container.decodeNil(forKey: .data)
        failures = try container.decodeIfPresent([Failure].self, forKey: .errors) ?? []
    }

    /// What is wrong with the answer; nil where nothing is.
    static func complaint(about body: [UInt8]) -> String? {
        // The decoder refuses what is nested too deeply for the stack.
        guard let answer = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
            return "the answer is no GraphQL response"
        }
        if let failure = answer.failures.first {
            return "the answer has errors: \(failure.message?.prefix(messageLimit) ?? "without a message")"
        }
        return answer.hasData ? nil : "the answer has no data"
    }
}
