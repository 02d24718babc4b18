/// The two formats of a scrape.
public enum ExpositionFormat: Sendable, Hashable, CaseIterable {
    /// Prometheus text 0.0.4.
    case text
    /// OpenMetrics 1.0.0.
    case openMetrics

    /// The text after the last family: empty in text, `# EOF` in OpenMetrics.
    public var end: String { self == .openMetrics ? "# EOF\n" : "" }

    /// The value of `Content-Type`; Prometheus 3 refuses a scrape without it.
    public var contentType: String {
        switch self {
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The format for an `Accept` header: the highest quality wins, between equals the earlier, and text otherwise.
    ///
    /// OpenMetrics is given only to who names it, without a version or with 1.0.0; wildcards mean text. There is
    /// always an answer, also to nonsense: a scrape with an odd header is better served than refused.
    public static func negotiated(accept: String?) -> ExpositionFormat {
        guard let accept else { return .text }
        let ranges = accept.split(separator: ",").compactMap(MediaRange.init)
        guard let openMetrics = offer(of: .openMetrics, in: ranges) else { return .text }
        guard let text = offer(of: .text, in: ranges) else { return .openMetrics }
        if openMetrics.quality == text.quality {
            return openMetrics.position < text.position ? .openMetrics : .text
        }
        return openMetrics.quality > text.quality ? .openMetrics : .text
    }

    /// How much a client wants a format, and where in the header it says so; nil when it does not want it.
    private static func offer(of format: Self, in ranges: [MediaRange]) -> (quality: Double, position: Int)? {
        var best: (specificity: Int, quality: Double, position: Int)?
        for (position, range) in ranges.enumerated() {
            guard let specificity = format.specificity(of: range) else { continue }
            if let best, (specificity, range.quality) <= (best.specificity, best.quality) { continue }
            best = (specificity, range.quality, position)
        }
        guard let best, best.quality > 0 else { return nil }
        return (best.quality, best.position)
    }

    /// How exactly a range names this format (`text/plain;q=0, */*` excludes text); nil when it does not.
    private func specificity(of range: MediaRange) -> Int? {
        switch (self, range.type, range.version) {
        case (.openMetrics, "application/openmetrics-text", nil): 2
        case (.openMetrics, "application/openmetrics-text", "1.0.0"): 2
        case (.text, "text/plain", nil): 2
        case (.text, "text/plain", "0.0.4"): 2
        case (.text, "text/*", _): 1
        case (.text, "*/*", _): 0
        default: nil
        }
    }
}
