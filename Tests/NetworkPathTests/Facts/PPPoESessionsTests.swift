import Lab
import Netlink
import Testing

@testable import NetworkPath

@Suite struct PPPoESessionsTests {
    /// As the kernel prints them.
    private static let head = "Id       Address              Device\n"
    private static let session = "0B000000 02:00:5e:10:00:01     eth1\n"

    @Test func `each line but the first is a session`() throws {
        for count in 0...2 {
            let text = Self.head + String(repeating: Self.session, count: count)
            #expect(PPPoESessions.count(in: text) == count)
        }
        #expect(PPPoESessions.count(in: "") == 0)
        let folder = try TemporaryFolder()
        #expect(PPPoESessions.count(procfs: folder.path) == 0, "the kernel has no PPPoE")
    }

    /// What is found of a line beside others of which that is known, or is not.
    private func verdict(sessions: Int, others: [Bool?] = []) -> Bool? {
        let line = Link.make(2, "ppp0", .unknownUp, kind: "ppp", hardware: 512)
        var state = RawState.make(line, .make(3, "eth1"))
        for (number, isPPPoE) in others.enumerated() {
            let index = Int32(number) + 4
            _ = state.upsert(.make(index, "ppp\(index)", .unknownUp, kind: "ppp", hardware: 512), at: epoch)
            state.deviceFacts[index] = .virtual
            state.deviceFacts[index]?.isPPPoE = isPPPoE
        }
        return state.isPPPoE(line, ofSessions: sessions)
    }

    @Test func `a line is PPPoE where there are as many sessions as lines that may be`() {
        #expect(verdict(sessions: 1) == true && verdict(sessions: 0) == false)
        #expect(verdict(sessions: 2, others: [nil]) == true)
        #expect(verdict(sessions: 1, others: [nil]) == nil, "either may be a VPN")
        #expect(verdict(sessions: 1, others: [true]) == false, "a VPN over the line")
        #expect(verdict(sessions: 1, others: [false]) == true)
    }

    @Test func `devices are read once, and lines of which it is not known what they are each time`() {
        let line = Link.make(2, "ppp0", .unknownUp, kind: "ppp", hardware: 512)
        let other = Link.make(3, "ppp1", .unknownUp, kind: "ppp", hardware: 512)
        var state = RawState.make(
            line,
            other,
            .make(4, "eth1"),
            .make(5, "wlan0"),
            facts: [5: .wifi],
            routes: [.make(over: 4)]
        )
        let known = state.takeUnknownDevices()
        #expect(known == [2, 3], "one session: either may be a VPN")
        _ = state.deleteLink(3)
        let left = state.takeUnknownDevices()
        #expect(left == [2] && state.isPPPoE(line, ofSessions: 1) == true)
        state.deviceFacts[2]?.isPPPoE = true
        state.doubtfulFacts = [4, 5]
        let doubtful = state.takeUnknownDevices()
        #expect(doubtful == [4] && state.doubtfulFacts == [5], "the path leads over no Wi-Fi")
        state.deviceFacts[4] = nil
        let voided = state.takeUnknownDevices()
        #expect(voided == [4])
    }

    @Test func `PPPoE is no tunnel, but the line to a provider`() {
        var facts = DeviceFacts.virtual
        facts.isPPPoE = true
        let state = RawState.make(
            .make(2, "ppp0", .unknownUp, kind: "ppp", hardware: 512),
            .make(3, "eth1"),
            facts: [2: facts],
            routes: [.make(over: 2)],
            ipv4: .over(2, source: "192.0.2.9")
        )
        let path = state.path()
        #expect(path.status == .satisfied && path.interface?.isTunnel == false)
        #expect(path.interface?.type == .wiredEthernet && path.underlay == nil)
        facts.isPPPoE = nil
        var vpn = state
        vpn.deviceFacts[2] = facts
        #expect(vpn.path().interface?.isTunnel == true)
    }
}
