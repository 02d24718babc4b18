import FoundationEssentials
import NetworkHealth
import OfflineQueue

/// The JSON with which an application hands a request over.
struct HandedRequest: Decodable {
    /// What is wrong with it.
    struct Mistake: Error {
        let message: String

        /// - Parameter message: It may quote the request; its first 400 characters are kept.
        init(message: String) { self.message = String(message.prefix(400)) }
    }

    var url: String
    var method: String?
    var headers: [String: String]?
    var body: String?
    var bodyBase64: String?
    var requestType: String?
    var idempotencyKey: String?
    var orderingKey: String?
    var requirement: String?
    var expiresAt: String?

    private static let keys = [
        "url", "method", "headers", "body", "bodyBase64", "requestType", "idempotencyKey", "orderingKey", "requirement",
        "expiresAt",
    ]

    /// Values of the JSON, those of `headers` included.
    private static let maxValues = 1000

    /// - Throws: `Mistake`, which names the key.
    init(_ json: [UInt8]) throws(Mistake) {
        // The decoder takes UTF-16 and UTF-32, too, in which a byte of text can look like a quote. JSON in UTF-8 has no zero.
        guard !json.contains(0) else { throw Mistake(message: "expected JSON in UTF-8") }
        guard Self.values(in: json) <= Self.maxValues else {
            throw Mistake(message: "expected at most \(Self.maxValues) values")
        }
        let decoder = JSONDecoder()
        do {
            let data = Data(json)
            let names = try decoder.decode([String: Ignored].self, from: data).keys
            if let unknown = names.sorted().first(where: { !Self.keys.contains($0) }) {
                throw Mistake(
                    message: "unknown key \(unknown.debugDescription); one of: \(Self.keys.joined(separator: ", "))"
                )
            }
            self = try decoder.decode(HandedRequest.self, from: data)
        } catch let mistake as Mistake {
            throw mistake
        } catch DecodingError.keyNotFound(let key, _) {
            throw Mistake(message: "the key \(key.stringValue.debugDescription) is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let key = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw Mistake(
                message: key.isEmpty ? "expected a JSON object" : "the key \(key.debugDescription) has the wrong type"
            )
        } catch {
            throw Mistake(message: "expected a JSON object")
        }
    }

    /// The request to store, which waits for `online` where it names no other requirement.
    func request(
        _ section: OfflineQueueSection,
        isRequirement: (String) -> Bool
    ) throws(Mistake) -> RetryableRequest {
        guard body == nil || bodyBase64 == nil else {
            throw Mistake(message: "expected at most one of body and bodyBase64")
        }
        let decoded = bodyBase64.map { Data(base64Encoded: $0) }
        if case .some(.none) = decoded { throw Mistake(message: "bodyBase64 is not base64") }
        guard requestType != Webhook.requestType else {
            throw Mistake(message: "the requestType \(Webhook.requestType) is that of webhooks")
        }
        if let requirement, !isRequirement(requirement) {
            throw Mistake(message: "there is no requirement \(requirement.debugDescription)")
        }
        let expiry = expiresAt.map { RFC3339.parse($0) }
        if case .some(.none) = expiry {
            throw Mistake(message: "the key \"expiresAt\" is not valid: expected a time such as 2026-11-22T08:00:00Z")
        }
        return RetryableRequest(
            endpoint: url,
            method: method ?? "POST",
            body: body.map { Data($0.utf8) } ?? decoded ?? nil,
            maxRetries: section.maxRetries,
            requestType: requestType ?? "",
            headers: headers ?? [:],
            idempotencyKey: idempotencyKey,
            orderingKey: orderingKey,
            // Without one the queue would send as soon as there is a path.
            requirement: requirement ?? Requirement.online.name,
            expiresAt: (expiry ?? nil).map { Date(timeIntervalSince1970: $0) }
        )
    }

    /// How many values JSON has, at most: the decoder takes some 100 bytes for each, though it has only two in the text.
    private static func values(in json: [UInt8]) -> Int {
        var count = 1
        var isInString = false
        var isEscaped = false
        for byte in json {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInString: isEscaped = true
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count += isInString ? 0 : 1
            default: break
            }
        }
        return count
    }

    /// Any value: only the keys count.
    private struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
    }
}
