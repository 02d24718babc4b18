package import FoundationEssentials

/// What a speed test has found on one uplink.
package struct SpeedMeasurement: Sendable, Equatable {
    /// Bits a second; nil where that direction was not measured.
    package var download: Double?
    /// Bits a second; nil where that direction was not measured.
    package var upload: Double?
    /// The end of the test.
    package var measuredAt: Date

    package init(download: Double?, upload: Double?, measuredAt: Date) {
        (self.download, self.upload, self.measuredAt) = (download, upload, measuredAt)
    }

    /// Seconds since it was taken; one from the future, before a clock was set back, is new.
    package func age(at date: Date) -> Double { max(0, date.timeIntervalSince(measuredAt)) }

    /// Whether it still counts; a `maxAge` of nil lets it count for ever.
    package func isFresh(at date: Date, maxAge: Duration?) -> Bool {
        maxAge.map { age(at: date) <= $0 / .seconds(1) } ?? true
    }
}
