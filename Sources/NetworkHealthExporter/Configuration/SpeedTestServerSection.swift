import HTTPTransfer
import SpeedTestCore
import StrictYAML

/// The key `speedtest_server`: whether others may measure against this exporter, and how much they get.
struct SpeedTestServerSection: Sendable, Equatable {
    var isEnabled = false
    var limits = ServerLimits()

    init() {}

    init(reading map: inout MappingReader) throws(YAMLError) {
        var new = limits
        isEnabled = try map.read("enabled", as: .bool, default: isEnabled)
        new.allow = try map.read("allow", as: .list(of: Self.addressRule), default: new.allow)
        new.maxClients = try map.read("max_clients", as: .int(in: 1...1000), default: new.maxClients)
        let durations = YAMLType.duration(in: .seconds(1) ... .seconds(3600))
        new.maxDuration = try map.read("max_duration", as: durations, default: new.maxDuration)
        new.maxBytes = try map.optional("max_bytes", as: Self.size).map { UInt64($0) } ?? new.maxBytes
        new.maxBytesPerDay =
            try map.optional("max_bytes_per_day", as: Self.size).map { UInt64($0) } ?? new.maxBytesPerDay
        let congestionControl = try map.read("congestion_control", as: Self.congestionControl, default: "")
        new.congestionControl = congestionControl.isEmpty ? nil : congestionControl
        new.origins = try map.read("cors", as: .list(of: Self.origin), default: new.origins)
        limits = new
    }

    /// What is in force; nil while it is off.
    var effectiveLimits: ServerLimits? { isEnabled ? limits : nil }

    /// The section as it would be written.
    var yaml: String {
        [
            "speedtest_server:",
            "  enabled: \(isEnabled)",
            "  allow: \(YAMLText.list(limits.allow.map { YAMLText.quoted($0.description) }))",
            "  max_clients: \(limits.maxClients)",
            "  max_duration: \(DurationText.format(limits.maxDuration))",
            "  max_bytes: \(ByteSizeText.format(Int(clamping: limits.maxBytes)))",
            "  max_bytes_per_day: \(ByteSizeText.format(Int(clamping: limits.maxBytesPerDay)))",
            "  congestion_control: \(YAMLText.quoted(limits.congestionControl ?? ""))",
            "  cors: \(YAMLText.list(limits.origins.map(YAMLText.quoted)))",
        ].joined(separator: "\n") + "\n"
    }

    private static var addressRule: YAMLType<AddressRule> {
        .text(AddressRule.expectation) { AddressRule($0) }
    }

    private static var size: YAMLType<Int> {
        YAMLType.byteSize.checked("a size of at least 1B such as 64MB, 64MiB or 20GB") { $0 > 0 }
    }

    /// A name as the kernel has them, or nothing.
    private static var congestionControl: YAMLType<String> {
        .text("the name of a congestion control such as cubic, or nothing") { text in
            text.isEmpty || SpeedTestServer.isCongestionControl(text) ? text : nil
        }
    }

    /// What a browser sends as `Origin`.
    private static var origin: YAMLType<String> {
        .text("an origin such as https://example.com or http://example.com:8080, without a path") { text in
            WebURL(text)?.origin == text && text == text.lowercased() ? text : nil
        }
    }
}
