/// A quantity over a period, by the hours of the local clock.
struct ReportSeries: Sendable, Equatable {
    /// A value at a time in seconds since 1970.
    struct Point: Sendable, Equatable {
        var at: Double
        var value: Double
        /// Measurements that it is of.
        var count = 1
    }

    let points: [Point]
    /// nil without a point.
    let all: ReportSample?
    /// By the hour of the day.
    let hours: [Int: ReportSample]
    /// By the hour of the week, from the beginning of Monday.
    let week: [Int: ReportSample]
    /// By the day, in days since 1970-01-01.
    let days: [Int: ReportSample]
    let evening: ReportSample?
    let otherTimes: ReportSample?
    /// How sure it is that evenings have higher values; negative: lower ones.
    let eveningScore: Double

    init(_ points: [Point], _ clock: ReportClock) {
        func samples(_ key: (Double) -> Int) -> [Int: ReportSample] {
            Dictionary(grouping: points) { key($0.at) }.compactMapValues { Self.sample($0) }
        }
        let evening = points.filter { ReportClock.evening.contains(clock.hour($0.at)) }
        let others = points.filter { !ReportClock.evening.contains(clock.hour($0.at)) }
        self.points = points
        all = Self.sample(points)
        hours = samples(clock.hour)
        week = samples(clock.hourOfWeek)
        days = samples(clock.day)
        (self.evening, otherTimes) = (Self.sample(evening), Self.sample(others))
        eveningScore = RankSum.score(evening.map(\.value), others.map(\.value))
    }

    private static func sample(_ points: [Point]) -> ReportSample? {
        ReportSample(points.map { ReportSample.Value(value: $0.value, count: $0.count) })
    }
}
