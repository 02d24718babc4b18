import Netlink
import Posix
import Testing

@testable import NetworkPath

struct DriftDetectorTests {
    private let reported = RawState.make(routes: [.make(over: 2)])
    private let other = RawState.make(routes: [.make(over: 3)])

    @Test func `no difference is no drift, also after a lookup`() {
        var detector = DriftDetector()
        var asked = reported
        asked.lookups[.ipv4] = .unreachable
        #expect(detector.verdict(read: asked, reported: reported) == .none)
    }

    @Test func `the same difference twice is drift`() {
        var detector = DriftDetector()
        #expect(detector.verdict(read: other, reported: reported) == .suspected)
        #expect(detector.verdict(read: other, reported: reported) == .drift)
        #expect(detector.verdict(read: other, reported: reported) == .suspected)
    }

    @Test func `a difference that an event explains is no drift`() {
        var detector = DriftDetector()
        #expect(detector.verdict(read: other, reported: reported) == .suspected)
        #expect(detector.verdict(read: other, reported: other) == .none)
        #expect(detector.verdict(read: reported, reported: other) == .suspected)
    }

    @Test func `another difference is movement`() {
        var detector = DriftDetector()
        #expect(detector.verdict(read: other, reported: reported) == .suspected)
        #expect(detector.verdict(read: RawState(), reported: reported) == .moving)
    }
}
