import StrictYAML

/// The key `history`: how long records are kept.
struct HistorySection: Sendable, Equatable {
    /// 13 months have 397 days at most.
    private static let thirteenMonths = Duration.seconds(400 * 86_400)

    /// Of every row.
    var retention = thirteenMonths
    /// How long the latency has a row for each minute, later one for each hour.
    var perMinute = Duration.seconds(7 * 86_400)
    /// How long the latency is kept, and the uptime of each hour.
    var perHour = thirteenMonths

    static var keys: [YAMLKey<HistorySection>] {
        let age = YAMLType<Duration>.duration(in: .seconds(3600)...DurationText.longest)
        return [
            .key("retention", \.retention, age), .key("per_minute", \.perMinute, age), .key("per_hour", \.perHour, age),
        ]
    }
}
