package import Statistics

/// The speeds that a contract promises.
package struct SpeedPlan: Sendable, Equatable {
    package enum Level: String, Sendable, CaseIterable {
        case maximum, normal, minimum
    }

    /// Of one direction, in bits per second; nil is not promised.
    package struct Rates: Sendable, Equatable {
        package var maximum: Int?
        package var normal: Int?
        package var minimum: Int?

        package init(maximum: Int? = nil, normal: Int? = nil, minimum: Int? = nil) {
            (self.maximum, self.normal, self.minimum) = (maximum, normal, minimum)
        }

        /// The share of the maximum that is enough where nothing else is promised.
        private static let tolerance = 0.9

        package subscript(level: Level) -> BitRate? {
            let rate =
                switch level {
                case .maximum: maximum
                case .normal: normal
                case .minimum: minimum
                }
            return rate.map { BitRate(bitsPerSecond: Double($0)) }
        }

        /// What every test should reach: the minimum, else the normal speed, else nine tenths of the maximum.
        package var least: BitRate? {
            self[.minimum] ?? self[.normal]
                ?? self[.maximum].map {
                    BitRate(bitsPerSecond: $0.bitsPerSecond * Self.tolerance)
                }
        }

        /// What a test usually has: the normal speed, else what every test should reach.
        package var usual: BitRate? { self[.normal] ?? least }

        /// What texts compare a speed with: a figure of the contract, unlike a share of the maximum.
        package var named: BitRate? { self[.normal] ?? self[.minimum] ?? self[.maximum] }
    }

    package var download = Rates()
    package var upload = Rates()

    package init(download: Rates = Rates(), upload: Rates = Rates()) {
        (self.download, self.upload) = (download, upload)
    }
}
