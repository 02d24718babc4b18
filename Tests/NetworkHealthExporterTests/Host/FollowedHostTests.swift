import Foundation
import NetworkHealth
import Posix
import Probing
import Testing

@testable import NetworkHealthExporter

struct FollowedHostTests {
    private static let start = SuspendingClock.now

    private static func snapshot(_ internet: InternetState?) -> SnapshotDocument {
        var document = SnapshotDocument(.online())
        document.online = internet.map { $0 == .online }
        document.internetState = internet?.rawValue
        return document
    }

    /// Drives a followed host through seconds after the start.
    private final class Course {
        private(set) var host = FollowedHost()

        func stop() { host.noticeStop() }
        func lose() -> HostReport? { host.lose() }

        /// An event of the host's exporter; nil: it does not know the state of the internet.
        func event(_ internet: InternetState?, at second: Double) throws {
            let report = try #require(
                HostReport(
                    FollowedHostTests.snapshot(internet),
                    at: .now,
                    now: FollowedHostTests.start + .seconds(second)
                )
            )
            _ = host.take(report, at: FollowedHostTests.start + .seconds(second))
        }

        /// An answer to a request.
        ///
        /// - Returns: whether there may be something to report.
        func answer(_ internet: InternetState?, requestedAfter stops: UInt64? = nil, at second: Double) -> Bool {
            host.take(
                FollowedHostTests.snapshot(internet),
                nil,
                requestedAfter: stops ?? host.stops,
                at: FollowedHostTests.start + .seconds(second)
            )
        }

        func verdict(at second: Double) -> InternetVerdict? {
            let path = InternetPath(generation: 1, isSatisfied: true, families: [.ipv4])
            return host.verdict(on: path, at: FollowedHostTests.start + .seconds(second))
        }
    }

    @Test func `an internet that the host no longer knows is unknown after 15 s, until it knows again`() throws {
        let course = Course()
        #expect(course.verdict(at: 0) == nil)
        try course.event(.online, at: 0)
        #expect(course.verdict(at: 0)?.state == .online)
        try course.event(nil, at: 10)
        try course.event(nil, at: 20)
        #expect(course.verdict(at: 24.9) == nil, "it stays what it was")
        let unknown = try #require(course.verdict(at: 25))
        #expect(unknown.state == .unknown && unknown.isUnknownToHost)
        #expect(course.verdict(at: 60) == unknown, "the same again is nothing new")
        let reports = course.answer(nil, at: 60)
        #expect(reports && course.verdict(at: 60) == unknown, "each answer is an occasion to report it")
        try course.event(.noInternet, at: 61)
        #expect(course.verdict(at: 61)?.state == .noInternet && course.verdict(at: 99)?.isUnknownToHost == false)
    }

    @Test func `an answer decides after a stop only, and only where it was requested after that`() throws {
        let course = Course()
        try course.event(.noInternet, at: 0)
        #expect(!course.answer(.online, at: 1), "events say what the internet is")
        #expect(course.verdict(at: 1)?.state == .noInternet)
        let before = course.host.stops
        course.stop()
        #expect(course.verdict(at: 2) == nil)
        #expect(!course.answer(.noInternet, requestedAfter: before, at: 2), "it was under way at the stop")
        #expect(course.verdict(at: 2) == nil)
        #expect(course.answer(.online, at: 3) && course.verdict(at: 3)?.state == .online)
        #expect(!course.answer(.noInternet, at: 4))
    }

    @Test func `nothing is left of the report after a silence, and an answer that comes later is none`() throws {
        let course = Course()
        try course.event(nil, at: 0)
        #expect(course.lose() != nil && course.lose() == nil && course.verdict(at: 30) == nil)
        course.stop()
        #expect(!course.answer(.online, at: 31) && course.host.report == nil)
        try course.event(.online, at: 32)
        #expect(course.verdict(at: 32)?.state == .online)
    }
}
