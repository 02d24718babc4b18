import CLinux
import Glibc
import Netlink
import Posix
import Testing

@Suite(.timeLimit(.minutes(3)))
struct NeighbourTests {
    /// The payload of RTM_NEWNEIGH: struct ndmsg.
    private static func neighbour(state: UInt16) -> [UInt8] {
        [2, 0, 0, 0] + Build.integer(Int32(7)) + Build.integer(state) + [0, 1] + Build.attribute(1, [198, 18, 0, 1])
    }

    private static func answer(_ payload: [UInt8], _ sequence: UInt32) -> [UInt8] {
        Build.message(type: RTM_NEWNEIGH, sequence: sequence, payload)
    }

    @Test(arguments: [
        (UInt16(0x02), true), (0x04, true), (0x08, true), (0x10, true), (0x40, true), (0x80, true), (0x01, false),
        (0x20, false), (0, false),
    ])
    func `a neighbour with a hardware address is reachable, one that failed is not`(
        state: UInt16,
        isReachable: Bool
    ) throws {
        let address = try #require(IPAddress("198.18.0.1"))
        let (found, requests) = try FakeKernel.run { _, number in
            [Self.answer(Self.neighbour(state: state), number)]
        } _: {
            try $0.neighbour(address, interfaceIndex: 7)
        }
        #expect(found == NeighbourState(rawValue: state))
        #expect(found?.isReachable == isReachable)
        let request = try #require(requests.first)
        let (message, payload) = try #require(try Parse.messages(request).first)
        #expect(message.type == RTM_GETNEIGH && message.flags == NLM_F_REQUEST)
        let header: [UInt8] = [2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]
        #expect(payload == header + Build.attribute(1, [198, 18, 0, 1]))
    }

    @Test func `when it answered last is the first number of the cache's facts, in hundredths of a second`() throws {
        let address = try #require(IPAddress("198.18.0.1"))
        let facts = [1234, 5, 6, 1].flatMap { Build.integer(UInt32($0)) }
        let (found, _) = try FakeKernel.run { _, number in
            [Self.answer(Self.neighbour(state: 0x02) + Build.attribute(3, facts), number)]
        } _: {
            try $0.neighbour(address, interfaceIndex: 7)
        }
        #expect(found?.confirmedAgo == .milliseconds(12340))
    }

    @Test(arguments: [ENOENT, ENODEV])
    func `what the kernel has no entry for is no neighbour`(errno: Int32) throws {
        let address = try #require(IPAddress("2001:db8::1"))
        let (found, _) = try FakeKernel.run { _, number in
            let payload = Build.integer(-errno) + Build.message(type: RTM_GETNEIGH)
            return [Build.message(type: Int(NLMSG_ERROR), sequence: number, payload)]
        } _: {
            try $0.neighbour(address, interfaceIndex: 7)
        }
        #expect(found == nil)
    }

    @Test func `an answer that is too short is an error`() throws {
        let address = try #require(IPAddress("198.18.0.1"))
        _ = try FakeKernel.run { _, number in
            [Self.answer([2, 0, 0, 0, 7, 0, 0, 0], number)]
        } _: { socket in
            #expect(throws: NetlinkError.truncated(what: "neighbour", offset: 8)) {
                try socket.neighbour(address, interfaceIndex: 7)
            }
        }
    }
}
