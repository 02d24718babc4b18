import NetworkHealth
import Posix
import StrictYAML

extension UplinkRule {
    /// The key `uplinks`.
    static var list: YAMLType<[UplinkRule]> { .list(of: type, distinct: \.name) }

    private static var type: YAMLType<UplinkRule> {
        .section(
            UplinkRule(""),
            [
                .required("name", \.name, .nonEmptyString),
                .key("provider", \.provider, .optional(.nonEmptyString)),
                .section(
                    "match",
                    \.match,
                    [
                        .key("interface", \.interface, .optional(.nonEmptyString)),
                        .key("gateway", \.gateway, .optional(.gateway)),
                    ]
                ),
                .key("expensive", \.isExpensive, .keyword("auto", or: .bool)),
                .key(
                    "standby_interval",
                    \.standbyInterval,
                    .keyword("auto", or: .duration(in: .zero ... .seconds(86_400)))
                ),
            ],
            complete: { (rule, map) throws(YAMLError) in
                guard rule.match != Match() else { throw map.error("expected interface or gateway in match") }
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
