import FoundationEssentials
import StrictYAML

/// The answers to the command `requests` in sentences; pure.
enum RequestsText {
    /// A request of the list.
    struct Row: Decodable {
        var id: String
        var url: String
        var method: String
        var state: String
        /// Failed tries with an answer.
        var attempts: Int
        var reason: String?
        var lastStatus: Int?
        var lastError: String?
        var requirement: String?
    }

    /// The list with a line for each request; nil for a body that is not that of an exporter.
    static func list(_ body: [UInt8]) -> String? {
        guard let rows = try? JSONDecoder().decode([Row].self, from: Data(body)) else { return nil }
        let count =
            switch rows.count {
            case 0: "No request is in the queue."
            case 1: "1 request is in the queue:"
            default: "\(rows.count) requests are in the queue:"
            }
        return ([count] + rows.map { "  \($0.id)  \($0.method) \($0.url) \(sentence($0))" }).joined(separator: "\n")
            + "\n"
    }

    private static func sentence(_ row: Row) -> String {
        guard row.state != "sending" else { return "is being sent." }
        let need = row.requirement.map { " It needs \($0)." } ?? ""
        let answers = row.attempts == 1 ? "1 failed answer" : "\(row.attempts) failed answers"
        let after = row.attempts > 0 ? " after \(answers)" : ""
        return switch row.reason {
        case nil: "waits\(after.isEmpty ? " for its first try" : after).\(need)"
        case "status": "waits\(after), the last with status \(row.lastStatus ?? 0).\(need)"
        case "no_answer": "waits\(after): the last try had no answer\(row.lastError.map { " (\($0))" } ?? "").\(need)"
        default: "waits\(after): \(row.lastError ?? row.reason ?? "").\(need)"
        }
    }

    /// What the exporter has done; `id`: nil for all requests.
    static func done(_ verb: Requests.Verb, _ id: String?) -> String {
        let subject = id.map { "The request \($0)" } ?? "Every request"
        return switch verb {
        case .list: ""
        case .retry: "\(subject) is tried again as soon as the network allows it.\n"
        case .cancel, .reset: "\(subject) was removed from the queue.\n"
        }
    }

    /// The same as JSON.
    static func document(_ verb: Requests.Verb, _ id: String?) -> String {
        "{\"done\":\"\(verb.rawValue)\",\"id\":\(id.map(JSONText.quoted) ?? "null")}\n"
    }
}
