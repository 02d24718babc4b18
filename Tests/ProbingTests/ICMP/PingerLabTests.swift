import Coordination
import Foundation
import Glibc
import Lab
import Posix
import Probing
import Testing

/// With a router in a namespace of its own; needs root.
@Suite(.timeLimit(.minutes(3)))
struct PingerLabTests {
    /// The host's socket of which kind.
    enum Grant: String, CaseIterable {
        case datagram, raw
    }

    private let router: Namespace
    private let host: Namespace
    private let late = Locked<[String]>([])
    private let readiness: Readiness

    init() throws {
        readiness = try Readiness(name: "ping-lab")
        router = try Namespace("link set lo up")
        host = try Namespace(
            """
            link set lo up
            link add eth0 type veth peer name eth0 netns \(router.name)
            link set eth0 addrgenmode none
            link set eth0 up
            address add 198.18.0.2/24 dev eth0
            address add fe80::2/64 dev eth0 nodad
            route add default via 198.18.0.1
            """
        )
        try router.ip(
            """
            link set eth0 addrgenmode none
            link set eth0 up
            address add 198.18.0.1/24 dev eth0
            address add fe80::1/64 dev eth0 nodad
            route add unreachable 198.18.8.0/24
            route add prohibit 198.18.7.0/24
            route add blackhole 198.18.9.0/24
            """
        )
        try router.write("1", to: "/proc/sys/net/ipv4/ip_forward")
    }

    private func pinger(_ grant: Grant) throws -> Pinger {
        let range = grant == .datagram ? "0 2147483647" : "1 0"
        try host.write(range, to: "/proc/sys/net/ipv4/ping_group_range")
        return Pinger(readiness: readiness, openSocket: host.openSocket) { [late] name in
            late.withLock { $0.append(name) }
        }
    }

    private func ping(_ pinger: Pinger, _ address: String, timeout: Duration = .seconds(40)) async -> ProbeResult {
        await pinger.ping(SocketAddress(test: address), name: address, device: nil, until: .now + timeout)
    }

    @Test(arguments: Grant.allCases)
    func `a router replies, and the kernel times it`(grant: Grant) async throws {
        let pinger = try pinger(grant)
        let result = await ping(pinger, "198.18.0.1")
        #expect(result.isSuccess, "\(result.detail)")
        #expect(result.method == (grant == .datagram ? .icmpDatagram : .icmpRaw))
        let rtt = try #require(result.rtt)
        #expect(rtt > .zero && rtt <= result.duration)
    }

    @Test(arguments: Grant.allCases)
    func `A request that finds no buffer is sent again and not lost`(grant: Grant) async throws {
        let pinger = try pinger(grant)
        #expect(await ping(pinger, "198.18.0.1").isSuccess)
        try Lab.run(["tc", "-n", host.name, "qdisc", "add", "dev", "eth0", "root", "pfifo", "limit", "0"])

        async let pinged = ping(pinger, "198.18.0.1")
        var dropped = 0
        while dropped < 2 {
            let text = try Lab.run(["tc", "-n", host.name, "-s", "qdisc", "show"])
            dropped =
                text.split(separator: "dropped ").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }.max() ?? 0
        }
        try Lab.run(["tc", "-n", host.name, "qdisc", "del", "dev", "eth0", "root"])

        let result = await pinged
        #expect(result.isSuccess, "\(result.detail)")
        try Lab.run(["tc", "-n", host.name, "qdisc", "add", "dev", "eth0", "root", "pfifo", "limit", "0"])
        #expect(await ping(pinger, "198.18.0.1", timeout: .milliseconds(200)).failure == .local)
    }

    @Test(arguments: Grant.allCases)
    func `a link-local router is reached through its device`(grant: Grant) async throws {
        let pinger = try pinger(grant)
        let gateway = try #require(ProbeContext.Gateway("fe80::1%eth0"))
        let result = await pinger.ping(gateway, timeout: .seconds(40))
        #expect(result.isSuccess, "\(result.detail)")
        #expect(result.method == (grant == .datagram ? .icmpDatagram : .icmpRaw))
        #expect(result.device == "eth0")
    }

    @Test(arguments: Grant.allCases)
    func `an ICMP error ends the wait at once`(grant: Grant) async throws {
        let pinger = try pinger(grant)
        for address in ["198.18.8.1", "198.18.7.1"] {
            let result = await ping(pinger, address)
            #expect(result.failure == .unreachable)
            #expect(result.detail.contains(address))
            #expect(result.sentBytes == 16, "sent, and rejected by the router")
        }
        #expect(await ping(pinger, "198.18.0.1").isSuccess, "the error is gone with the ping that it was about")
    }

    @Test(arguments: Grant.allCases)
    func `A packet that must not be fragmented arrives, vanishes or is too large`(grant: Grant) async throws {
        let pinger = try pinger(grant)
        // Forwarded back over a way that the router takes for a narrow one.
        try router.ip("route add 198.18.6.0/24 via 198.18.0.2 mtu lock 700")
        func send(_ size: Int, to address: String, for timeout: Duration = .seconds(40)) async -> PacketFate {
            await pinger.send(size, to: SocketAddress(test: address).ip, timeout: timeout)
        }
        #expect(await send(1500, to: "198.18.0.1") == .answered)
        #expect(await send(1501, to: "198.18.0.1") == .tooLarge(mtu: nil), "by the device")
        #expect(await send(1500, to: "198.18.6.1") == .tooLarge(mtu: 700))
        #expect(await send(1500, to: "198.18.9.1", for: .milliseconds(50)) == .silent)
        #expect(await send(1500, to: "198.18.8.1") == .unknown, "rejected for another reason")
        #expect(await ping(pinger, "198.18.0.1").isSuccess)
    }

    @Test(arguments: Grant.allCases)
    func `The error of one target does not affect another`(grant: Grant) async throws {
        let pinger = try pinger(grant)
        for _ in 0..<50 {
            // The kernel limits the rate of errors, not of replies.
            async let rejected = ping(pinger, "198.18.8.1", timeout: .milliseconds(20))
            async let answered = ping(pinger, "198.18.0.1")
            #expect(await answered.isSuccess)
            _ = await rejected.failure
        }
    }

    @Test func `No reply is a timeout`() async throws {
        let pinger = try pinger(.datagram)
        let result = await ping(pinger, "198.18.9.1", timeout: .milliseconds(50))
        #expect(result.failure == .timeout)
        #expect(result.duration >= .milliseconds(50))
    }

    @Test func `a cancelled ping ends at once`() async throws {
        let pinger = try pinger(.datagram)
        _ = await ping(pinger, "198.18.0.1")
        let task = Task { [self] in await ping(pinger, "198.18.9.1") }
        // The socket's own wait, and the alarm of the ping.
        while readiness.waitCount < 2, !Task.isCancelled { await Task.yield() }
        task.cancel()
        let result = await task.value
        #expect(result.failure == .timeout && result.duration < .seconds(30))
    }

    @Test(arguments: Grant.allCases)
    func `a reply that took longer than the timeout is late`(grant: Grant) async throws {
        let pinger = try pinger(grant)
        // No host has the address yet: the kernel keeps the request during the neighbour discovery, for a minute here.
        try host.write("60", to: "/proc/sys/net/ipv4/neigh/eth0/mcast_solicit")
        let lost = await ping(pinger, "198.18.0.9", timeout: .milliseconds(100))
        #expect(lost.failure == .timeout)
        #expect(late.withLock { $0 }.isEmpty)
        try router.ip("address add 198.18.0.9/24 dev eth0")
        while late.withLock({ $0 }).isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(late.withLock { $0 } == ["198.18.0.9"])
    }

    @Test func `A missing route is reported at once, and the socket stays usable`() async throws {
        let pinger = try pinger(.datagram)
        try host.ip("route del default")
        let result = await ping(pinger, "198.19.0.1")
        #expect(result.failure == .unreachable)
        #expect(result.sentBytes == 0)
        try host.ip("route add default via 198.18.0.1")
        let next = await ping(pinger, "198.18.0.1")
        #expect(next.isSuccess, "\(next.detail)")
    }

    @Test func `A recreated device is bound again`() async throws {
        let pinger = try pinger(.datagram)
        let target = SocketAddress(test: "198.18.0.1")
        #expect(await pinger.ping(target, name: "t", device: "eth0", until: .now + .seconds(40)).isSuccess)
        try host.ip("link del eth0")
        let gone = await pinger.ping(target, name: "t", device: "eth0", until: .now + .seconds(40))
        #expect(gone.failure == .noInterface)
        try host.ip(
            """
            link add eth0 type veth peer name eth0 netns \(router.name)
            link set eth0 up
            address add 198.18.0.2/24 dev eth0
            """
        )
        try router.ip(
            """
            link set eth0 up
            address add 198.18.0.1/24 dev eth0
            """
        )
        let back = await pinger.ping(target, name: "t", device: "eth0", until: .now + .seconds(40))
        #expect(back.isSuccess, "\(back.detail)")
    }

    @Test func `a cancelled handshake ends at once`() async throws {
        let handshakes = HandshakeTimer(readiness: readiness, openSocket: host.openSocket)
        let task = Task {
            let target = SocketAddress(test: "198.18.9.1:443")
            return await handshakes.connect(to: target, device: nil, until: .now + .seconds(50))
        }
        while readiness.waitCount == 0, !Task.isCancelled { await Task.yield() }
        task.cancel()
        let handshake = await task.value
        #expect(handshake.failure == .timeout && handshake.duration < .seconds(40))
    }

    @Test func `a port behind a silent router times out`() async throws {
        let handshakes = HandshakeTimer(readiness: readiness, openSocket: host.openSocket)
        let silent = await handshakes.connect(
            to: SocketAddress(test: "198.18.9.1:443"),
            device: "eth0",
            until: .now + .milliseconds(50)
        )
        #expect(silent.failure == .timeout && silent.rtt == nil)
        let rejected = await handshakes.connect(
            to: SocketAddress(test: "198.18.8.1:443"),
            device: nil,
            until: .now + .seconds(40)
        )
        #expect(rejected.failure == .unreachable)
    }
}
