import FoundationEssentials
import HTTPTransfer

/// Sends a query to a GraphQL server, and expects data and no errors (GraphQL over HTTP).
package struct GraphQLProbe: Probe {
    /// In bytes.
    private static let bodyLimit = 1024 * 1024

    private struct Question: Encodable {
        var query: String
    }

    package static let module = "graphql"
    package static let failures = ProbeFailure.ofRequests
    package static let defaultTimeout = Duration.seconds(5)

    package var query: String
    package var headers: [String: String] = [:]
    package var options = HTTPRequestOptions()

    package init(query: String) { self.query = query }

    package func probe(_ target: Target, in context: ProbeContext, with tools: ProbeTools) async -> ProbeResult {
        var request = TransferRequest(to: target, method: .post, headers: headers, options: options)
        request.setDefault("Content-Type", "application/json")
        request.setDefault("Accept", "application/graphql-response+json, application/json;q=0.9")
        request.sink = .collect(limit: Self.bodyLimit)
        do {
            request.body = .bytes(Array(try JSONEncoder().encode(Question(query: query))))
            return Self.judge(try await tools.transfers.perform(request), target)
        } catch let error as TransferError {
            return ProbeResult(error, for: target)
        } catch {
            return ProbeResult(failure: .protocolViolation, detail: "\(error)")
        }
    }

    private static func judge(_ response: TransferResponse, _ target: Target) -> ProbeResult {
        var result = ProbeResult(response, for: target)
        if !(200..<300 ~= response.status) {
            result.fail(.status, "status \(response.status), expected 2xx")
        } else if response.isTruncated {
            result.fail(.body, "an answer of more than \(bodyLimit) bytes")
        } else if let complaint = GraphQLAnswer.complaint(about: response.body) {
            result.fail(.body, "\(complaint)")
        }
        return result
    }
}

/// The parts of an answer that decide: `data` must not be null, and there must be no `errors`.
struct GraphQLAnswer: Decodable {
    private enum CodingKeys: CodingKey {
        case data, errors
    }

    private struct Failure: Decodable {
        var message: String?
    }

    /// In characters; the text comes from the server.
    private static let messageLimit = 200

    private let hasData: Bool
    private let failures: [Failure]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hasData = try container.contains(.data) && !container.decodeNil(forKey: .data)
        failures = try container.decodeIfPresent([Failure].self, forKey: .errors) ?? []
    }

    /// Describes the error in the answer; nil: the answer is good.
    static func complaint(about body: [UInt8]) -> String? {
        // The decoder refuses input nested too deeply for the stack.
        guard let answer = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
            return "the answer is not a GraphQL response"
        }
        if let failure = answer.failures.first {
            return "the answer has errors: \(failure.message?.prefix(messageLimit) ?? "without a message")"
        }
        return answer.hasData ? nil : "the answer has no data"
    }
}

/// Reads the answer of a GraphQL server, for the fuzzer.
///
/// - Returns: whether it is a GraphQL answer, with or without errors.
package func fuzzGraphQL(_ bytes: [UInt8]) -> Bool {
    GraphQLAnswer.complaint(about: bytes) != "the answer is not a GraphQL response"
}
