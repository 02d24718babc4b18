package import FoundationEssentials
package import NetworkPath

/// The last good speeds of one uplink; each direction has a time of its own.
package struct SpeedMeasurement: Sendable, Equatable {
    /// The speed of one direction.
    package struct Rate: Sendable, Equatable {
        package var bitsPerSecond: Double
        /// The end of the test.
        package var measuredAt: Date

        /// Seconds since it was taken; one from the future, before a clock was set back, is new.
        package func age(at date: Date) -> Double { max(0, date.timeIntervalSince(measuredAt)) }

        /// Whether it still counts; a `maxAge` of nil lets it count for ever.
        func isFresh(at date: Date, maxAge: Duration?) -> Bool {
            maxAge.map { age(at: date) <= $0 / .seconds(1) } ?? true
        }
    }

    /// nil where that direction was not measured.
    package private(set) var download: Rate?
    /// nil where that direction was not measured.
    package private(set) var upload: Rate?

    /// What one test has found, in bits a second; nil for a direction that it did not measure.
    package init(download: Double?, upload: Double?, measuredAt: Date) {
        self.download = download.map { Rate(bitsPerSecond: $0, measuredAt: measuredAt) }
        self.upload = upload.map { Rate(bitsPerSecond: $0, measuredAt: measuredAt) }
    }

    /// Of the rate that decides about the quality: the download, where there is one.
    package var decisive: Rate? { download ?? upload }

    /// When any direction was measured last.
    var measuredAt: Date { [download, upload].compactMap { $0?.measuredAt }.max() ?? .distantPast }

    /// Takes another test in: a direction that it did not measure stays, and so does one that is newer here.
    ///
    /// The date is now: what is known from later was measured by a wrong clock, and does not stay.
    mutating func add(_ other: SpeedMeasurement, at date: Date) {
        func newer(_ known: Rate?, _ new: Rate?) -> Rate? {
            guard let known, let new else { return known ?? new }
            return known.measuredAt > new.measuredAt && known.measuredAt <= date ? known : new
        }
        (download, upload) = (newer(download, other.download), newer(upload, other.upload))
    }

    /// Without the direction that has grown too old; nil where nothing is left.
    func fresh(at date: Date, maxAge: Duration?) -> SpeedMeasurement? {
        var fresh = self
        fresh.download = download.flatMap { $0.isFresh(at: date, maxAge: maxAge) ? $0 : nil }
        fresh.upload = upload.flatMap { $0.isFresh(at: date, maxAge: maxAge) ? $0 : nil }
        return fresh.decisive == nil ? nil : fresh
    }
}

/// The device and the router that a measurement belongs to: what was measured on another says nothing here.
package struct Uplink: Hashable, Sendable {
    package var device: String
    package var gateway: String?

    /// nil while there is no way out.
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

    /// Where there is none, and of a test that does not leave this machine: it says nothing of any.
    package static let none = "none"
}
