import Netlink
import Posix
import Testing

@testable import NetworkPath

struct DriftDetectorTests {
    private let told = RawState.make(routes: [.make(over: 2)])
    private let other = RawState.make(routes: [.make(over: 3)])

    @Test func `no difference is no drift, whatever was asked meanwhile`() {
        var detector = DriftDetector()
        var asked = told
        asked.lookups[.ipv4] = .unreachable
        #expect(detector.verdict(read: asked, told: told) == .none)
    }

    @Test func `the same difference twice is drift`() {
        var detector = DriftDetector()
        #expect(detector.verdict(read: other, told: told) == .suspected)
        #expect(detector.verdict(read: other, told: told) == .drift)
        #expect(detector.verdict(read: other, told: told) == .suspected)
    }

    @Test func `a difference that an event explains is none`() {
        var detector = DriftDetector()
        #expect(detector.verdict(read: other, told: told) == .suspected)
        #expect(detector.verdict(read: other, told: other) == .none)
        #expect(detector.verdict(read: told, told: other) == .suspected)
    }

    @Test func `another difference is movement`() {
        var detector = DriftDetector()
        #expect(detector.verdict(read: other, told: told) == .suspected)
        #expect(detector.verdict(read: RawState(), told: told) == .moving)
    }
}
