package import FoundationEssentials
package import NetworkPath
package import Statistics

/// The last good speeds of one uplink; each direction has a time of its own.
package struct SpeedMeasurement: Sendable, Equatable {
    /// The speed of one direction.
    package struct Speed: Sendable, Equatable {
        package var rate: BitRate
        /// The end of the test.
        package var measuredAt: Date

        package init(rate: BitRate, measuredAt: Date) {
            self.rate = rate
            self.measuredAt = measuredAt
        }

        /// Seconds since it was measured; 0 for one from the future, before a clock was set back.
        package func age(at date: Date) -> Double { max(0, date.timeIntervalSince(measuredAt)) }

        /// Whether it still counts; a `maxAge` of nil never ends.
        func isFresh(at date: Date, maxAge: Duration?) -> Bool {
            maxAge.map { age(at: date) <= $0 / .seconds(1) } ?? true
        }
    }

    /// nil where that direction was not measured.
    package var download: Speed?
    /// nil where that direction was not measured.
    package var upload: Speed?

    package init(download: Speed?, upload: Speed?) {
        self.download = download
        self.upload = upload
    }

    /// Of one test.
    package init(download: BitRate?, upload: BitRate?, measuredAt: Date) {
        self.download = download.map { Speed(rate: $0, measuredAt: measuredAt) }
        self.upload = upload.map { Speed(rate: $0, measuredAt: measuredAt) }
    }

    /// The speed that decides about the quality: the download, where there is one.
    package var decisive: Speed? { download ?? upload }

    /// Without the directions that are too old; nil where none is left.
    func fresh(at date: Date, maxAge: Duration?) -> SpeedMeasurement? {
        var fresh = self
        fresh.download = download.flatMap { $0.isFresh(at: date, maxAge: maxAge) ? $0 : nil }
        fresh.upload = upload.flatMap { $0.isFresh(at: date, maxAge: maxAge) ? $0 : nil }
        return fresh.decisive == nil ? nil : fresh
    }
}

/// The device and the router that a measurement belongs to: it says nothing about another uplink.
package struct Uplink: Hashable, Sendable {
    package var device: String
    package var gateway: String?

    /// nil without a path.
    package init?(_ path: Path) {
        guard path.status == .satisfied, let interface = path.interface else { return nil }
        device = interface.name
        gateway = path.gateways.first
    }

    /// Reads a `name`; nil for `none`.
    package init?(name: String) {
        let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
        guard let device = parts.first, name != Self.none else { return nil }
        (self.device, gateway) = (device, parts.count > 1 ? parts[1] : nil)
    }

    /// For the history: `eth0 192.0.2.1`.
    package var name: String { gateway.map { "\(device) \($0)" } ?? device }

    /// The name without a path, and of a test that does not leave this host.
    package static let none = "none"
}
