import HTTPTransfer
import SpeedTestCore
import StrictYAML

/// The key `speedtest_server`: who may run speed tests against this exporter, and within which limits.
struct SpeedTestServerSection: Sendable, Equatable {
    var isEnabled = false
    var limits = ServerLimits()

    /// The limits; nil while it is disabled.
    var effectiveLimits: ServerLimits? { isEnabled ? limits : nil }

    static var keys: [YAMLKey<SpeedTestServerSection>] {
        let size = YAMLType<UInt64>.byteSize.checked("a size of at least 1B such as 64MB, 64MiB or 20GB") { $0 > 0 }
        return [
            .key("enabled", \.isEnabled, .bool),
            .key("allow", \.limits.allow, .list(of: addressRule)),
            .key("max_clients", \.limits.maxClients, .int(in: 1...1000)),
            .key("max_duration", \.limits.maxDuration, .duration(in: .seconds(1) ... .seconds(3600))),
            .key("max_bytes", \.limits.maxBytes, size),
            .key("max_bytes_per_day", \.limits.maxBytesPerDay, size),
            .key("congestion_control", \.limits.congestionControl, .emptyOr(.congestionControl)),
            .key("cors", \.limits.origins, .list(of: origin)),
        ]
    }

    private static var addressRule: YAMLType<AddressRule> {
        .text(AddressRule.expectation, parse: { AddressRule($0) }, write: { .quoted("\($0)") })
    }

    /// The value of a browser's header `Origin`.
    private static var origin: YAMLType<String> {
        .text("an origin such as https://example.com or http://example.com:8080, without a path") { text in
            WebURL(text)?.origin == text && text == text.lowercased() ? text : nil
        }
    }
}
