import Coordination
import Glibc
import Posix
import Probing
import Testing

/// On the loopback, with whichever socket this host grants to the tests.
@Suite(.timeLimit(.minutes(3)))
struct PingerTests {
    private let readiness: Readiness
    private let late = Locked<[String]>([])
    private let pinger: Pinger

    init() throws {
        readiness = try Readiness(name: "ping-test")
        pinger = Pinger(readiness: readiness) { [late] name in late.withLock { $0.append(name) } }
    }

    private var soon: ContinuousClock.Instant { .now + .seconds(40) }

    /// What the sysctl and the privileges of this process imply.
    private static let method: ProbeMethod = {
        let number = Int32(IPPROTO_ICMP)
        for (type, method) in [(SocketType.datagram, ProbeMethod.icmpDatagram), (SocketType.raw, .icmpRaw)] {
            if (try? Descriptor.openSocket(family: AF_INET, type: type, protocol: number)) != nil { return method }
        }
        return .tcpHandshake
    }()

    private static func requireICMP() throws {
        try #require(method != .tcpHandshake, "needs root, or net.ipv4.ping_group_range")
    }

    /// Without any ICMP socket.
    private static let noICMP: SocketOpener = { (family, type, number) throws(SystemError) in
        guard number == Int32(IPPROTO_TCP) else { throw SystemError(call: "socket", code: EACCES) }
        return try Descriptor.openSocket(family: family, type: type, protocol: number)
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `the loopback replies, with a round trip and the hops that are left`(address: String) async throws {
        try Self.requireICMP()
        for _ in 0..<3 {
            let result = await pinger.ping(SocketAddress(test: address), name: "t", device: nil, until: soon)
            #expect(result.isSuccess, "\(result.detail)")
            #expect(result.method == Self.method)
            let rtt = try #require(result.rtt)
            #expect(rtt > .zero && rtt <= result.duration)
            #expect(result.address == IPAddress(address))
            // net.ipv4.ip_default_ttl and net.ipv6.conf.*.hop_limit.
            #expect(result.hopLimit == 64)
            let setup = try #require(result.setup)
            #expect(setup >= .zero && setup + rtt <= result.duration)
            #expect(result.sentBytes == 16 && result.receivedBytes == 16)
        }
        #expect(late.withLock { $0 }.isEmpty)
    }

    @Test func `500 concurrent pings are each answered`() async {
        let deadline = soon
        let results = await withTaskGroup(of: ProbeResult.self) { group in
            for number in 0..<500 {
                let address = SocketAddress(test: "127.0.\(number / 250).\(number % 250 + 1)")
                group.addTask { [pinger] in await pinger.ping(address, name: "t", device: nil, until: deadline) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.filter(\.isSuccess).count == 500)
        #expect(Set(results.map(\.address)).count == 500)
        #expect(readiness.waitCount <= 1, "nothing but the socket's own")
    }

    @Test func `A reply after the deadline is late and stays lost`() async throws {
        try Self.requireICMP()
        let result = await pinger.ping(SocketAddress(test: "127.0.0.1"), name: "slow", device: nil, until: .now)
        #expect(result.failure == .timeout)
        #expect(result.method == Self.method && result.rtt == nil)
        // Said after the ping has ended, by another thread.
        while late.withLock({ $0 }).isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(late.withLock { $0 } == ["slow"])
    }

    @Test func `two sockets do not take each other's replies`() async throws {
        let other = Pinger(readiness: readiness) { [late] name in late.withLock { $0.append(name) } }
        for _ in 0..<50 {
            async let first = pinger.ping(SocketAddress(test: "127.0.0.1"), name: "a", device: nil, until: soon)
            async let second = other.ping(SocketAddress(test: "127.0.0.1"), name: "b", device: nil, until: soon)
            let results = await [first, second]
            #expect(results.filter(\.isSuccess).count == 2)
        }
        #expect(late.withLock { $0 }.isEmpty)
    }

    @Test func `A missing device has a failure of its own`() async {
        let result = await pinger.ping(SocketAddress(test: "127.0.0.1"), name: "t", device: "nhe-none", until: soon)
        #expect(result.failure == .noInterface)
        #expect(result.device == "nhe-none")
    }

    @Test func `A released pinger closes its sockets`() async {
        do {
            let other = Pinger(readiness: readiness) { _ in }
            _ = await other.ping(SocketAddress(test: "127.0.0.1"), name: "t", device: nil, until: soon)
        }
        #expect(readiness.waitCount == 0)
    }

    @Test func `A stopped loop ends all waits`() async throws {
        try Self.requireICMP()
        readiness.stop()
        let result = await pinger.ping(SocketAddress(test: "127.0.0.1"), name: "t", device: nil, until: soon)
        // The reply of the loopback arrives before the wait.
        #expect(result.isSuccess || result.failure == .timeout)
    }

    @Test func `Without ICMP a handshake times the path, and a refusal is an answer`() async throws {
        let pinger = Pinger(readiness: readiness, openSocket: Self.noICMP) { _ in }
        let result = await pinger.ping(SocketAddress(test: "127.0.0.1"), name: "t", device: nil, until: soon)
        #expect(result.isSuccess, "\(result.detail)")
        #expect(result.method == .tcpHandshake)
        #expect(result.rtt != nil)
        #expect(result.sentBytes == 0)
    }

    @Test func `A refused kind of socket is not tried with every ping`() async throws {
        let asked = Locked<[Int32]>([])
        let pinger = Pinger(
            readiness: readiness,
            openSocket: { (family, type, number) throws(SystemError) in
                asked.withLock { $0.append(type) }
                return try Self.noICMP(family, type, number)
            },
            onLateReply: { _ in }
        )
        for _ in 0..<3 {
            _ = await pinger.ping(SocketAddress(test: "127.0.0.1"), name: "t", device: nil, until: soon)
        }
        let types = asked.withLock { $0 }
        #expect(types == [SocketType.datagram, SocketType.raw] + Array(repeating: SocketType.stream, count: 3))
    }

    @Test func `A socket is opened once and shared`() async throws {
        let opened = Locked(0)
        let pinger = Pinger(
            readiness: readiness,
            openSocket: { (family, type, number) throws(SystemError) in
                let descriptor = try Descriptor.openSocket(family: family, type: type, protocol: number)
                if number == Int32(IPPROTO_ICMP) { opened.withLock { $0 += 1 } }
                return descriptor
            },
            onLateReply: { _ in }
        )
        try Self.requireICMP()
        #expect(opened.withLock { $0 } == 0)
        for _ in 0..<5 { _ = await pinger.ping(SocketAddress(test: "127.0.0.1"), name: "t", device: nil, until: soon) }
        #expect(opened.withLock { $0 } == 1)
    }
}
