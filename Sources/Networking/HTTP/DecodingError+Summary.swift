extension DecodingError {
    /// Where and why, in one line.
    ///
    /// Such as `items.2.name: Expected String but found null instead.`
    var summary: String {
        let context: Context
        switch self {
        case .dataCorrupted(let found): context = found
        case .keyNotFound(_, let found), .typeMismatch(_, let found), .valueNotFound(_, let found): context = found
        @unknown default: return String(describing: self)
        }
        let path = context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
    }
}
