/// What an `Accept` header prefers between the two forms that some routes have.
enum MediaPreference {
    /// Whether JSON is named with a higher weight than text; a bare `*/*` leaves it at text.
    static func prefersJSON(_ accept: String) -> Bool {
        var json = 0.0
        var text = 0.0
        for item in accept.split(separator: ",") {
            let parts = item.split(separator: ";").map { String($0.filter { !$0.isWhitespace }).lowercased() }
            guard let type = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            switch type {
            case "application/json": json = max(json, weight)
            case "text/plain", "text/*", "text/html": text = max(text, weight)
            default: break
            }
        }
        return json > text
    }
}
