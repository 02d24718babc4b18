import CLinux
import Glibc
import Netlink
import Posix
import Testing

@Suite(.timeLimit(.minutes(3)))
struct RequestSocketTests {
    private static func link(_ sequence: UInt32, flags: Int32 = NLM_F_MULTI, name: String = "x0") -> [UInt8] {
        Build.message(
            type: RTM_NEWLINK,
            flags: flags,
            sequence: sequence,
            Build.link(Build.attribute(IFLA_IFNAME, name))
        )
    }

    private static func done(_ sequence: UInt32, flags: Int32 = NLM_F_MULTI, errno: Int32 = 0) -> [UInt8] {
        Build.message(type: Int(NLMSG_DONE), flags: flags, sequence: sequence, Build.integer(-errno))
    }

    private static func refusal(_ sequence: UInt32, errno: Int32, text: String? = nil) -> [UInt8] {
        Build.message(
            type: Int(NLMSG_ERROR),
            flags: text == nil ? 0 : NLM_F_ACK_TLVS | NLM_F_CAPPED,
            sequence: sequence,
            Build.integer(-errno) + Build.message(type: 26) + (text.map { Build.attribute(1, $0) } ?? [])
        )
    }

    @Test func `collects a dump of several datagrams`() throws {
        let (dump, requests) = try FakeKernel.run { _, number in
            [Self.link(number) + Self.link(number, name: "x1"), Self.link(number, name: "x2") + Self.done(number)]
        } _: {
            try $0.links()
        }
        #expect(dump.elements.map(\.name) == ["x0", "x1", "x2"])
        #expect(dump.isConsistent)
        #expect(requests.count == 1)
    }

    @Test func `repeats a dump that was interrupted`() throws {
        let (outcome, requests) = try FakeKernel.run { count, number in
            let flags = count < 2 ? NLM_F_MULTI | NLM_F_DUMP_INTR : NLM_F_MULTI
            return [Self.link(number, name: "try\(count)"), Self.done(number, flags: flags)]
        } _: {
            (dump: try $0.links(), interrupted: $0.interruptedDumps)
        }
        #expect(outcome.dump.elements.map(\.name) == ["try2"])
        #expect(outcome.dump.isConsistent)
        #expect(outcome.interrupted == 2)
        #expect(requests.count == 3)
    }

    @Test func `returns the fifth interrupted dump as inconsistent`() throws {
        let (outcome, requests) = try FakeKernel.run { count, number in
            [Self.link(number, flags: NLM_F_MULTI | NLM_F_DUMP_INTR, name: "try\(count)"), Self.done(number)]
        } _: {
            (dump: try $0.links(), interrupted: $0.interruptedDumps)
        }
        #expect(outcome.dump.elements.map(\.name) == ["try4"])
        #expect(!outcome.dump.isConsistent)
        #expect(outcome.interrupted == 5)
        #expect(requests.count == 5)
    }

    @Test func `ignores answers to other requests`() throws {
        let (dump, _) = try FakeKernel.run { _, number in
            [Self.link(number &+ 1, name: "late") + Self.done(0), Self.link(number), Self.done(number)]
        } _: {
            try $0.links()
        }
        #expect(dump.elements.map(\.name) == ["x0"])
    }

    @Test func `clears away what is left of a failed answer`() throws {
        let (outcome, _) = try FakeKernel.run { count, number in
            let bad = Build.message(type: RTM_NEWLINK, flags: NLM_F_MULTI, sequence: number, [0])
            return count == 0 ? [bad, Self.done(number)] : [Self.link(number) + Self.done(number)]
        } _: { socket in
            #expect(throws: NetlinkError.truncated(what: "link", offset: 1)) { try socket.links() }
            return try socket.links()
        }
        #expect(outcome.elements.map(\.name) == ["x0"])
    }

    @Test func `throws the kernel's error with its text`() throws {
        let expected = NetlinkError.kernel(errno: EPERM, text: "not you")
        _ = try FakeKernel.run { _, number in
            [Self.refusal(number, errno: EPERM, text: "not you")]
        } _: { socket in
            #expect(throws: expected) { try socket.links() }
        }
        #expect(expected.description == "netlink: the kernel returned Operation not permitted (errno 1): not you")
    }

    @Test func `throws the errno at the end of a dump`() throws {
        _ = try FakeKernel.run { _, number in
            [Self.link(number), Self.done(number, errno: ENOMEM)]
        } _: { socket in
            #expect(throws: NetlinkError.kernel(errno: ENOMEM, text: nil)) { try socket.links() }
        }
    }

    @Test(arguments: [Duration.milliseconds(20), .zero, .milliseconds(-500)])
    func `gives up when the kernel is silent`(timeout: Duration) throws {
        _ = try FakeKernel.run(timeout: timeout) { _, number in
            [Self.link(number)]
        } _: { socket in
            #expect(throws: NetlinkError.timeout) { try socket.links() }
        }
    }

    @Test func `grows its buffer for a message that did not fit`() throws {
        let large = [UInt8](repeating: 0, count: 40_000)
        let (dump, _) = try FakeKernel.run { _, number in
            let padding = Build.attribute(60, large)
            let payload = Build.link(Build.attribute(IFLA_IFNAME, "big"), padding)
            let message = Build.message(type: RTM_NEWLINK, flags: NLM_F_MULTI, sequence: number, payload)
            return [message + Self.done(number)]
        } _: { socket in
            #expect(throws: NetlinkError.oversized(bytes: 40_064)) { try socket.links() }
            return try socket.links()
        }
        #expect(dump.elements.map(\.name) == ["big"])
    }

    @Test func `refuses an answer of another type`() throws {
        _ = try FakeKernel.run { _, number in
            [Build.message(type: RTM_NEWRULE, sequence: number)]
        } _: { socket in
            #expect(throws: NetlinkError.unexpected(type: RTM_NEWRULE)) { try socket.links() }
        }
    }

    @Test(arguments: [
        (ENETUNREACH, String?.none, RouteLookup?(.unreachable)), (EHOSTUNREACH, nil, .hostUnreachable),
        (EACCES, nil, .prohibited), (EINVAL, nil, .blackhole), (EINVAL, "Invalid header", nil), (ENODEV, nil, nil),
    ])
    func `reads a verdict from an errno`(errno: Int32, text: String?, verdict: RouteLookup?) throws {
        let destination = try #require(IPAddress("198.18.0.1"))
        _ = try FakeKernel.run { _, number in
            [Self.refusal(number, errno: errno, text: text)]
        } _: { socket in
            if let verdict {
                let lookup = try socket.lookup(destination)
                #expect(lookup == verdict)
            } else {
                #expect(throws: NetlinkError.kernel(errno: errno, text: text)) { try socket.lookup(destination) }
            }
        }
    }

    @Test(arguments: [(UInt8(6), RouteLookup.blackhole), (7, .hostUnreachable), (8, .prohibited), (9, .unreachable)])
    func `reads a verdict from the route that refuses`(kind: UInt8, verdict: RouteLookup) throws {
        let destination = try #require(IPAddress("2001:db8::1"))
        let (lookup, _) = try FakeKernel.run { _, number in
            [Build.message(type: RTM_NEWROUTE, sequence: number, Build.route(family: 10, kind: kind))]
        } _: {
            try $0.lookup(destination)
        }
        #expect(lookup == verdict)
    }

    @Test func `looks up with the mark, device and user of a socket`() throws {
        let destination = try #require(IPAddress("198.18.0.9"))
        let (_, requests) = try FakeKernel.run { _, number in
            [Build.message(type: RTM_NEWROUTE, sequence: number, Build.route())]
        } _: {
            try $0.lookupEntry(destination, mark: 51820, interfaceIndex: 7, uid: 65534)
        }
        let request = try #require(requests.first)
        let (message, payload) = try #require(try Parse.messages(request).first)
        #expect(message.type == RTM_GETROUTE && message.flags == NLM_F_REQUEST)
        #expect(
            payload == Build.route(prefix: 32, table: 0, kind: 0, flags: 0x3000).withOrigin(0)
                + Build.attribute(1, [198, 18, 0, 9]) + Build.attribute(16, Build.integer(UInt32(51820)))
                + Build.attribute(4, Build.integer(Int32(7))) + Build.attribute(25, Build.integer(UInt32(65534)))
        )
    }
}

extension [UInt8] {
    /// `rtm_protocol`.
    fileprivate func withOrigin(_ origin: UInt8) -> [UInt8] {
        var payload = self
        payload[5] = origin
        return payload
    }
}
