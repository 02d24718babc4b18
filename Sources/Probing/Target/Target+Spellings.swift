extension Target {
    /// The other texts that mean the same address: a URL with and without the slash of an empty path, and with the scheme that
    /// blackbox_exporter adds.
    package static func spellings(ofAddress text: String) -> Set<String> {
        guard let scheme = text.firstRange(of: "://") else {
            return spellings(ofAddress: "http://\(text)").union([text])
        }
        let rest = text[scheme.upperBound...]
        if !rest.contains(where: { "/?#".contains($0) }) { return [text, "\(text)/"] }
        return rest.firstIndex(of: "/") == rest.indices.last ? [text, String(text.dropLast())] : [text]
    }
}
