import CLinux
import Glibc
import Lab
import Netlink
import Posix
import Testing

/// Events of the real kernel, all as nobody.
@Suite(.timeLimit(.minutes(3)))
struct EventTests {
    private static let setup = """
        link add eth0 index 10 type veth peer name far0
        link add br0 index 30 type bridge
        link set eth0 addrgenmode none
        link set far0 addrgenmode none
        link set far0 master br0
        link set far0 up
        """

    @Test func `receives events of links, addresses, routes and rules`() throws {
        let namespace = try Namespace(Self.setup)
        let events = try namespace.inside(asNobody: true) {
            var socket = try EventSocket()
            #expect(try socket.pending().isEmpty)
            try namespace.ip(
                """
                link set eth0 up
                address add 198.18.0.1/24 dev eth0
                route add default via 198.18.0.254
                rule add fwmark 7 table 7
                nexthop add id 7 via 198.18.0.254 dev eth0
                nexthop del id 7
                route del default
                address del 198.18.0.1/24 dev eth0
                """
            )
            return try socket.pending()
        }
        let kinds = events.map { String("\($0)".prefix { $0 != "(" }) }
        // Joining neighbours are the kernel's choice; these must be there, and in this order.
        let expected = ["link", "address", "route", "route", "rule", "nexthop", "nexthop", "routeDeleted"]
        var remaining = expected[...]
        for kind in kinds where kind == remaining.first { remaining = remaining.dropFirst() }
        #expect(remaining.isEmpty, "\(kinds)")
        #expect(kinds.contains("addressDeleted"))
        #expect(!events.contains { if case .other = $0 { true } else { false } })
    }

    @Test func `takes leaving a bridge for no deletion`() throws {
        let namespace = try Namespace(Self.setup)
        let events = try namespace.inside(asNobody: true) {
            var socket = try EventSocket()
            try namespace.ip("link set far0 nomaster")
            let left = try socket.pending()
            try namespace.ip("link del br0")
            return (left: left, deleted: try socket.pending())
        }
        #expect(!events.left.isEmpty)
        #expect(!events.left.contains { if case .linkDeleted = $0 { true } else { false } })
        #expect(events.deleted.contains(.linkDeleted(index: 30)))
    }

    @Test func `reports lost events, and continues`() throws {
        // Without a device that is up: the kernel may send an event about its state a second later, between the last steps.
        let namespace = try Namespace()
        try namespace.inside(asNobody: true) {
            var socket = try EventSocket(receiveBuffer: 4096)
            try namespace.ip((0..<50).map { "link add a\($0) type veth peer name b\($0)" }.joined(separator: "\n"))
            #expect(throws: NetlinkError.overrun) { try socket.pending() }
            _ = try socket.pending()
            try namespace.ip("rule add fwmark 7 table 7")
            #expect(try socket.pending() == [.rule])
        }
    }

    @Test func `counts the dumps that changes interrupt`() throws {
        // Enough links that a dump takes several datagrams.
        let links = (0..<60).map { "link add a\($0) type veth peer name b\($0)" }.joined(separator: "\n")
        let namespace = try Namespace(links)
        let script = String(repeating: "link add c type veth peer name d\nlink del c\n", count: 50_000)
        let churn = try Program(["ip", "-n", namespace.name, "-batch", "-"], input: script)
        defer { churn.end() }
        try namespace.inside(asNobody: true) {
            var socket = try RequestSocket()
            // About one in two is interrupted where this was written; the bound only keeps a failure from hanging.
            for _ in 0..<5000 where socket.interruptedDumps == 0 {
                let dump = try socket.links()
                if dump.isConsistent {
                    #expect(dump.elements.count >= 121)
                } else {
                    #expect(socket.interruptedDumps == 5)
                }
            }
            #expect(socket.interruptedDumps > 0)
        }
    }

    @Test func `accepts messages of the kernel only`() throws {
        // Without a device that is up: the kernel may send an event about its state a second later.
        let namespace = try Namespace()
        // Only root may send to another process at all.
        let events = try namespace.inside {
            var socket = try EventSocket()
            var address = sockaddr_nl()
            var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
            let forger = try Descriptor(owning: Glibc.socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), 0), from: "socket")
            let message = Build.message(type: RTM_NEWNEXTHOP)
            let sent = withUnsafeMutableBytes(of: &address) { bytes in
                let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                guard getsockname(socket.number, address, &length) == 0 else { return -1 }
                return sendto(forger.number, message, message.count, 0, address, length)
            }
            #expect(sent == message.count)
            try namespace.ip("rule add fwmark 7 table 7")
            return try socket.pending()
        }
        #expect(events == [.rule])
    }
}
