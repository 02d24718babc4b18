package import FoundationEssentials
package import Statistics

/// The last good speeds of one uplink; each direction has a time of its own.
package struct SpeedMeasurement: Sendable, Equatable {
    /// The speed of one direction.
    package struct Speed: Sendable, Equatable {
        package var rate: BitRate
        /// The end of the test.
        package var measuredAt: Date
        /// The machine limited the test: the network carries at least this.
        package var isLowerBound: Bool
        /// Half the width of the 95 % interval, as a share of the rate.
        package var uncertainty: Double

        package init(rate: BitRate, measuredAt: Date, isLowerBound: Bool = false, uncertainty: Double = 0) {
            (self.rate, self.measuredAt, self.isLowerBound) = (rate, measuredAt, isLowerBound)
            self.uncertainty = uncertainty
        }

        /// Seconds since it was measured; 0 for one from the future, before a clock was set back.
        package func age(at date: Date) -> Double { max(0, date.timeIntervalSince(measuredAt)) }

        /// Whether it still counts; a `maxAge` of nil never ends.
        ///
        /// One that was measured by a clock which was further ahead than a day, or than that age, has none that is known.
        package func isFresh(at date: Date, maxAge: Duration?) -> Bool {
            guard let limit = maxAge.map({ $0 / .seconds(1) }) else { return true }
            return age(at: date) <= limit && measuredAt.timeIntervalSince(date) <= max(limit, Self.believedAhead)
        }

        /// In seconds.
        private static let believedAhead = 86_400.0
    }

    /// nil where that direction was not measured.
    package var download: Speed?
    /// nil where that direction was not measured.
    package var upload: Speed?
    /// In seconds, of the test that measured the speeds; nil where the latency of the network has a source of its own.
    package var latency: Double?

    package init(download: Speed?, upload: Speed?) {
        self.download = download
        self.upload = upload
    }

    /// Of one test.
    package init(
        download: BitRate?,
        upload: BitRate?,
        measuredAt: Date,
        isLowerBound: Bool = false,
        uncertainty: Double = 0
    ) {
        func speed(_ rate: BitRate) -> Speed {
            Speed(rate: rate, measuredAt: measuredAt, isLowerBound: isLowerBound, uncertainty: uncertainty)
        }
        (self.download, self.upload) = (download.map(speed), upload.map(speed))
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
