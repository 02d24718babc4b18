/// One element of an `Accept` header.
struct MediaRange {
    /// Type and subtype in lower case, `text/plain`.
    let type: String
    /// The `version` parameter, without quotes.
    let version: String?
    /// The `q` parameter, from 0 to 1.
    let quality: Double

    /// Reads one element; nil when its quality is not a number from 0 to 1.
    init?(_ element: Substring) {
        let parts = element.split(separator: ";", omittingEmptySubsequences: false)
        type = Self.trimmed(parts[0]).lowercased()
        var version: String?
        var quality = 1.0
        for parameter in parts.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
            guard pair.count == 2 else { continue }
            switch pair[0].lowercased() {
            case "version":
                version = pair[1].filter { $0 != "\"" }
            case "q":
                guard let number = Double(pair[1]), (0...1).contains(number) else { return nil }
                quality = number
            default:
                continue
            }
        }
        self.version = version
        self.quality = quality
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { return "" }
        return text[...last].drop(while: isSpace)
    }
}
