import NetworkPath
import Posix
import StrictYAML

/// The key `path`: which routes count, what the path costs, and how long a change must last.
struct PathSection: Sendable, Equatable {
    var policy = PathPolicy()
    /// The absolute path of a file that contains 0 or 1.
    var expensiveFile: String?
    var timings = SettleTimings()

    static var keys: [YAMLKey<PathSection>] {
        let hold = YAMLType.duration(in: .zero ... .seconds(3600))
        return [
            .key("viewpoint", \.policy.viewpoint, .keyword("auto", or: .oneOf)),
            .section(
                "anchors",
                \.policy.anchors,
                AddressFamily.allCases.map { .key($0.rawValue, \.[$0], .optional(.address($0))) }
            ),
            .key("expensive", \.policy.expensive, .keyword("auto", or: .bool)),
            .key("expensive_file", \.expensiveFile, .emptyOr(.path)),
            .key("constrained", \.policy.constrained, .bool),
            .key("rules", \.policy.rules, .list(of: rule)),
            .section(
                "settle",
                \.timings,
                [
                    .key("quiet", \.quiet, .duration(in: .zero ... .seconds(10))),
                    .key("max", \.max, .duration(in: .zero ... .seconds(60))),
                    .key("down_hold", \.downHold, hold),
                    .key("up_hold", \.upHold, hold),
                ],
                complete: { (timings, map) throws(YAMLError) in
                    guard timings.max >= timings.quiet else { throw map.error("expected at least quiet", at: "max") }
                }
            ),
        ]
    }

    private static var rule: YAMLType<PathPolicy.Rule> {
        .section(
            PathPolicy.Rule(interfaceGlob: ""),
            [
                .required("interface", \.interfaceGlob, .nonEmptyString),
                .key("expensive", \.expensive, .optional(.bool)),
                .key("constrained", \.constrained, .optional(.bool)),
            ],
            complete: { (rule, map) throws(YAMLError) in
                guard rule.expensive != nil || rule.constrained != nil else {
                    throw map.error("expected expensive or constrained beside the interface")
                }
            }
        )
    }
}

extension YAMLType where Value == IPAddress {
    /// A routable address of one family, also one of a private network.
    static func address(_ family: AddressFamily) -> YAMLType {
        .text(
            "a routable \(family == .ipv4 ? "IPv4" : "IPv6") address",
            parse: { text in IPAddress(text).flatMap { $0.family == family && $0.isRoutable ? $0 : nil } },
            write: { .quoted("\($0)") }
        )
    }
}

/// The file of `path.expensive_file`: 1 for a path that costs money, 0 for one that does not.
struct ExpensiveFile: Sendable {
    /// Its content at one moment.
    enum Content: Sendable, Equatable {
        case verdict(Bool)
        /// Missing or invalid: the cost is left to the other sources.
        case unusable(String)
    }

    let path: String

    func read() -> Content {
        do throws(SystemError) {
            switch String(decoding: try SmallFile.read(path, limit: 4096), as: UTF8.self).trimmed {
            case "0": return .verdict(false)
            case "1": return .verdict(true)
            default: return .unusable("\(path): expected 0 or 1")
            }
        } catch {
            return .unusable("\(error)")
        }
    }

    /// nil: unknown.
    var verdict: Bool? {
        guard case .verdict(let value) = read() else { return nil }
        return value
    }
}
