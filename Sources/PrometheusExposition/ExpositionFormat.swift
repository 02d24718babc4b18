import Negotiation

/// The two formats of a scrape.
public enum ExpositionFormat: Sendable, Hashable, CaseIterable {
    /// Prometheus text 0.0.4.
    case text
    /// OpenMetrics 1.0.0.
    case openMetrics

    /// What follows the last family: nothing in text, `# EOF` in OpenMetrics.
    public var end: String { self == .openMetrics ? "# EOF\n" : "" }

    /// The value of `Content-Type`; Prometheus 3 refuses a scrape without it.
    public var contentType: String {
        switch self {
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The format for an `Accept` header: the highest weight wins, between equals the earlier, and text otherwise.
    ///
    /// OpenMetrics must be named, without a version or with 1.0.0; wildcards mean text. Malformed elements are ignored, so
    /// that no header makes a scrape fail.
    public static func negotiated(accept: String?) -> ExpositionFormat {
        guard let accept else { return .text }
        let ranges = AcceptedValue.list(accept)
        guard let openMetrics = offer(of: .openMetrics, in: ranges) else { return .text }
        guard let text = offer(of: .text, in: ranges) else { return .openMetrics }
        if openMetrics.weight == text.weight {
            return openMetrics.position < text.position ? .openMetrics : .text
        }
        return openMetrics.weight > text.weight ? .openMetrics : .text
    }

    /// The weight of a format and its position in the header; nil when it is not accepted.
    private static func offer(of format: Self, in ranges: [AcceptedValue]) -> (weight: Double, position: Int)? {
        var best: (specificity: Int, weight: Double, position: Int)?
        for (position, range) in ranges.enumerated() {
            guard let weight = range.weight, let specificity = format.specificity(of: range) else { continue }
            if let best, (specificity, weight) <= (best.specificity, best.weight) { continue }
            best = (specificity, weight, position)
        }
        guard let best, best.weight > 0 else { return nil }
        return (best.weight, best.position)
    }

    /// How exactly a range names this format (`text/plain;q=0, */*` excludes text); nil when it does not.
    private func specificity(of range: AcceptedValue) -> Int? {
        switch (self, range.name, range.parameters["version"]) {
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
