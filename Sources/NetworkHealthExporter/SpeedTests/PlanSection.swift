import NetworkHealth
import SpeedTestCore
import Statistics
import StrictYAML

/// The key `plan`: the speeds that the contract of the line promises.
struct PlanSection: Sendable, Equatable {
    enum Level: String, Sendable, CaseIterable {
        case maximum, normal, minimum
    }

    /// Of one direction, in bits per second; nil is not promised.
    struct Rates: Sendable, Equatable {
        var maximum: Int?
        var normal: Int?
        var minimum: Int?

        /// The share of the maximum that is enough where nothing else is promised.
        private static let tolerance = 0.9

        subscript(level: Level) -> BitRate? {
            let rate =
                switch level {
                case .maximum: maximum
                case .normal: normal
                case .minimum: minimum
                }
            return rate.map { BitRate(bitsPerSecond: Double($0)) }
        }

        /// What every test should reach: the minimum, else the normal speed, else nine tenths of the maximum.
        var least: BitRate? {
            self[.minimum] ?? self[.normal]
                ?? self[.maximum].map {
                    BitRate(bitsPerSecond: $0.bitsPerSecond * Self.tolerance)
                }
        }

        /// What texts compare a speed with: a figure of the contract, unlike a share of the maximum.
        var named: BitRate? { self[.normal] ?? self[.minimum] ?? self[.maximum] }

        fileprivate static var keys: [YAMLKey<Rates>] {
            let rate = YAMLType<Int>.bitRate.checked("a rate of at least 1kbps") { $0 >= 1000 }
            return [
                .key("maximum", \.maximum, .optional(rate)), .key("normal", \.normal, .optional(rate)),
                .key("minimum", \.minimum, .optional(rate)),
            ]
        }

        fileprivate static func complete(_ rates: inout Rates, _ map: MappingReader) throws(YAMLError) {
            let given = [("minimum", rates.minimum), ("normal", rates.normal), ("maximum", rates.maximum)]
                .compactMap { name, rate in rate.map { (name, $0) } }
            for (lower, higher) in zip(given, given.dropFirst()) where lower.1 > higher.1 {
                throw map.error("expected at most \(higher.0)", at: lower.0)
            }
        }
    }

    /// The device of the uplink, as the label `uplink`; empty: of every uplink.
    var uplink = ""
    var download = Rates()
    var upload = Rates()

    subscript(direction: Direction) -> Rates { direction == .download ? download : upload }

    /// Whether the tests over an uplink are compared with it: never those that do not leave this host.
    func covers(_ uplink: String) -> Bool { uplink != Uplink.local && (self.uplink.isEmpty || self.uplink == uplink) }

    /// What a direction usually has over an uplink: the normal speed, else what every test should reach; nil: no promise.
    func promised(_ direction: Direction, on uplink: String) -> BitRate? {
        covers(uplink) ? self[direction][.normal] ?? self[direction].least : nil
    }

    /// What the contract names for a direction over an uplink; nil: nothing.
    func named(_ direction: Direction, on uplink: String) -> BitRate? {
        covers(uplink) ? self[direction].named : nil
    }

    static var keys: [YAMLKey<PlanSection>] {
        [
            .key("uplink", \.uplink, .string),
            .section("download", \.download, Rates.keys, complete: Rates.complete),
            .section("upload", \.upload, Rates.keys, complete: Rates.complete),
        ]
    }
}
