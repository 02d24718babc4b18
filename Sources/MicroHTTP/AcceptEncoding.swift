import Negotiation

/// Reads `Accept-Encoding` (RFC 9110, section 12.5.3).
enum AcceptEncoding {
    /// Whether gzip may be sent: named with a weight above 0, or covered by `*`.
    static func allowsGzip(_ values: [String]) -> Bool {
        let codings = values.flatMap(AcceptedValue.list)
        let gzip = codings.first { $0.name == "gzip" || $0.name == "x-gzip" } ?? codings.last { $0.name == "*" }
        return gzip.map { $0.weight != 0 } ?? false
    }
}
