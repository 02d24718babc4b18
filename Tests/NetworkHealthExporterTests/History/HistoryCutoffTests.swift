import Testing

@testable import NetworkHealthExporter

@Suite struct HistoryCutoffTests {
    private let day = 86_400.0

    /// The time before which rows go that are kept for 90 days.
    private func cutoff(_ now: Double, after running: Duration, newest: Double? = 1000 * 86_400) -> Double? {
        HistoryCutoff(newest: newest, startedAt: now - running / .seconds(1))
            .time(now: now, running: running).map { $0 - 90 * day }
    }

    @Test func `rows go when they are older than they are kept`() {
        #expect(cutoff(1001 * day, after: .seconds(86_400)) == 911 * day)
    }

    @Test func `nothing goes in the first hour`() {
        #expect(cutoff(1000 * day, after: .seconds(3599)) == nil)
        #expect(cutoff(1100 * day, after: .seconds(6)) == nil)
        #expect(cutoff(1000 * day + 3600, after: .seconds(3600)) == 910 * day + 3600)
    }

    @Test func `a clock that is ahead removes no more than the time that has passed`() {
        #expect(cutoff(1100 * day, after: .seconds(7200)) == 910 * day + 7200)
        #expect(cutoff(10_000 * day, after: .seconds(86_400)) == 911 * day)
    }

    @Test func `a clock that is behind removes nothing early`() {
        #expect(cutoff(500 * day, after: .seconds(7200)) == 410 * day)
        // Rows of a time when it was ahead: the clock of now counts.
        #expect(cutoff(1000 * day, after: .seconds(7200), newest: 9000 * day) == 910 * day)
    }

    @Test func `without earlier rows the start of the process counts, also when the clock then jumps ahead`() {
        let cutoff = HistoryCutoff(newest: nil, startedAt: 1000 * day)
        #expect(cutoff.time(now: 1100 * day, running: .seconds(7200)) == 1000 * day + 7200)
    }
}
