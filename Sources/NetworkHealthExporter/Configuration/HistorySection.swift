import StrictYAML

/// The key `history`: how long what was is kept.
struct HistorySection: Sendable, Equatable {
    var retention = Duration.seconds(90 * 86_400)

    init() {}

    init(reading map: inout MappingReader) throws(YAMLError) {
        let durations = YAMLType.duration(in: .seconds(3600)...DurationText.longest)
        retention = try map.read("retention", as: durations, default: retention)
    }

    /// The section as it would be written.
    var yaml: String { "history:\n  retention: \(DurationText.format(retention))\n" }
}
