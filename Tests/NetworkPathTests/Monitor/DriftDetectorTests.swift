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

    @Test func `an address is no drift until the kernel announces that no other host has it`() throws {
        var detector = DriftDetector()
        func state(_ flags: UInt32) throws -> RawState {
            RawState.make(addresses: [try .make(2, "fe80::1", length: 64, flags: flags, scope: 253)])
        }
        let (tentative, announced) = (try state(0xC0), try state(0x80))
        for reported in [RawState(), announced] {
            #expect(detector.verdict(read: tentative, reported: reported, at: start) == .none)
        }
        #expect(detector.verdict(read: announced, reported: RawState(), at: start) == .suspected)
        #expect(detector.verdict(read: announced, reported: tentative, at: start) == .moving)
    }

    @Test func `another difference is movement`() {
        var detector = DriftDetector()
        #expect(detector.verdict(read: other, reported: reported, at: start) == .suspected)
        #expect(detector.verdict(read: RawState(), reported: reported, at: start + .seconds(2)) == .moving)
    }
}
