import Netlink
import Posix
import Testing

@testable import NetworkPath

struct DriftDetectorTests {
    private let reported = RawState.make(routes: [.make(over: 2)])
    private let other = RawState.make(routes: [.make(over: 3)])

    private let start = SuspendingClock.now

    @Test func `no difference is no drift, also after a lookup`() {
        var detector = DriftDetector()
        var asked = reported
        asked.lookups[.ipv4] = .unreachable
        #expect(detector.verdict(read: asked, reported: reported, at: start) == .none)
    }

    @Test func `the same difference for longer than the kernel takes to announce a lost carrier is drift`() {
        var detector = DriftDetector()
        for delay in [0, 200, 1000, 1499] {
            let now = start + .milliseconds(delay)
            #expect(detector.verdict(read: other, reported: reported, at: now) == .suspected)
        }
        let later = start + DriftDetector.confirmation
        #expect(detector.verdict(read: other, reported: reported, at: later) == .drift)
        #expect(detector.verdict(read: other, reported: reported, at: later) == .suspected)
    }

    @Test func `a difference that an event explains is no drift`() {
        var detector = DriftDetector()
        #expect(detector.verdict(read: other, reported: reported, at: start) == .suspected)
        #expect(detector.verdict(read: other, reported: other, at: start) == .none)
        #expect(detector.verdict(read: reported, reported: other, at: start + .seconds(2)) == .suspected)
    }

    @Test func `another difference is movement`() {
        var detector = DriftDetector()
        #expect(detector.verdict(read: other, reported: reported, at: start) == .suspected)
        #expect(detector.verdict(read: RawState(), reported: reported, at: start + .seconds(2)) == .moving)
    }
}
