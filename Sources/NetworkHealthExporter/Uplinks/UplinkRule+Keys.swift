import NetworkHealth
import NetworkPath
import Posix
import StrictYAML

extension UplinkRule {
    /// The key `uplinks`.
    static var list: YAMLType<[UplinkRule]> { .list(of: type, distinct: \.name, atMost: UplinkBoard.limit) }

    /// What a path over it costs; nil: that is not configured.
    var pathCost: PathPolicy.UplinkCost? { isExpensive.map { .init(match, isExpensive: $0) } }

    private static var type: YAMLType<UplinkRule> {
        .section(
            UplinkRule(""),
            [
                .required("name", \.name, .targetName),
                .key("provider", \.provider, .optional(.targetName)),
                .section(
                    "match",
                    \.match,
                    [
                        .key("interface", \.interface, .optional(.nonEmptyString)),
                        .key("gateway", \.gateway, .optional(.gateway)),
                        .key("ssid", \.ssid, .optional(.nonEmptyString)),
                        .key("public_address", \.publicAddress, .optional(.publicAddress)),
                    ]
                ),
                .key("expensive", \.isExpensive, .keyword("auto", or: .bool)),
                .key(
                    "standby_interval",
                    \.standbyInterval,
                    .keyword("auto", or: .duration(in: .zero ... .seconds(86_400)))
                ),
                .section("plan", \.plan, SpeedPlan.keys),
            ],
            complete: { (rule, map) throws(YAMLError) in
                guard rule.match != UplinkMatch() else {
                    throw map.error("expected interface, gateway, ssid or public_address in match")
                }
                guard let interval = rule.standbyInterval, interval > .zero else { return }
                guard interval >= UplinkPlan.leastInterval else {
                    throw map.error("expected 0 or at least 1s", at: "standby_interval")
                }
                guard interval >= UplinkPlan.leastExpensiveInterval || rule.isExpensive != true else {
                    throw map.error("expected 0 or at least 1m with expensive: true", at: "standby_interval")
                }
            }
        )
    }
}

extension YAMLType where Value == AddressRange {
    /// An address that the internet sees, or a range of them.
    fileprivate static var publicAddress: YAMLType {
        .text(
            "an IP address or a CIDR range such as 198.51.100.0/24",
            parse: { text in
                AddressRange(text)
                    ?? IPAddress(text).map { AddressRange(around: $0, prefixLength: UInt8($0.family.addressBits)) }
            },
            write: { range in
                let isOne = Int(range.prefixLength) == range.address.family.addressBits
                return .quoted(isOne ? "\(range.address)" : "\(range)")
            }
        )
    }
}

extension YAMLType where Value == IPAddress {
    /// An address of a router, of either family.
    fileprivate static var gateway: YAMLType {
        .text(
            "an IP address without a zone",
            parse: { text in IPAddress(text) },
            write: { .quoted("\($0)") }
        )
    }
}
