import StrictYAML

/// The key `history`: how long records are kept.
struct HistorySection: Sendable, Equatable {
    var retention = Duration.seconds(90 * 86_400)

    static var keys: [YAMLKey<HistorySection>] {
        [.key("retention", \.retention, .duration(in: .seconds(3600)...DurationText.longest))]
    }
}
