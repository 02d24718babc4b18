import Foundation
import Glibc
import HTTPTransfer
import Lab
import Posix
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(3)))
struct TCPProbeTests {
    private func probe(_ target: Target, resolver: any NameResolving = FakeResolver()) async throws -> ProbeResult {
        await target.probe.probe(target, in: ProbeContext(), with: try .make(resolver: resolver))
    }

    private func target(_ address: String) -> Target {
        Target(name: "t", address: address, probe: TCPProbe())
    }

    @Test(arguments: [(AF_INET, "127.0.0.1"), (AF_INET6, "[::1]")])
    func `an open port is timed by the kernel`(family: Int32, host: String) async throws {
        let listener = try Listener(family)
        let result = try await probe(target("\(host):\(listener.port)"))
        #expect(result.isSuccess, "\(result.detail)")
        #expect(result.method == .tcpHandshake)
        let rtt = try #require(result.rtt)
        #expect(rtt > .zero && rtt <= result.duration)
        let connect = try #require(result.phases.connect)
        #expect(connect <= result.duration)
        #expect(result.phases.resolve != nil)
        #expect(result.address == IPAddress(host.trimmingCharacters(in: ["[", "]"])))
        #expect(result.sentBytes == 0 && result.receivedBytes == 0)
    }

    @Test(
        arguments: zip(
            [LookupError.localLimit, .noAddress(EAI_AGAIN), .noDevice],
            [ProbeFailure.local, .resolve, .noInterface]
        )
    )
    func `A name that cannot be looked up fails by its cause`(error: LookupError, failure: ProbeFailure) async throws {
        let result = try await probe(target("host.test:80"), resolver: FixedResolver(failure: error))
        #expect(result.failure == failure)
        #expect(result.detail == "host.test cannot be resolved: \(error)")
    }

    @Test func `a SYN that is sent again is a lost packet, and the port is open`() async throws {
        let listener = try Listener(backlog: 0)
        // With one in the queue the kernel drops the next SYN.
        let first = try await probe(target("127.0.0.1:\(listener.port)"))
        #expect(first.isSuccess && !first.isRepeated)
        var patient = target("127.0.0.1:\(listener.port)")
        patient.timeout = .seconds(20)
        async let probed = probe(patient)
        while !listener.hasUnansweredSYN { await Task.yield() }
        close(accept(listener.descriptor.number, nil, nil))
        let result = try await probed
        #expect(result.isSuccess && result.isRepeated, "\(result)")
        #expect(result.duration >= .milliseconds(900))
        #expect(try #require(result.rtt) < .milliseconds(500), "of the second SYN")
    }

    @Test(
        arguments: [
            (9, 9, 0, false, 9), (9, nil, 0, false, 9), (1009, 9, 1, true, 9), (3009, 9, 2, true, 9),
            // The first SYN was answered, late, or its answer was lost and sent again.
            (1209, 1209, 1, true, nil), (2209, 1209, 1, true, 1209),
            // Without time stamps; and a busy machine has sent nothing again.
            (1009, nil, 1, true, nil), (1009, nil, 0, false, 1009), (1009, 9, 0, false, 9),
        ] as [(Int, Int?, UInt64, Bool, Int?)]
    )
    func `the round trip of a SYN that was sent again is known where that one was answered`(
        duration: Int,
        roundTrip: Int?,
        retransmissions: UInt64,
        isRepeated: Bool,
        rtt: Int?
    ) {
        let handshake = TCPHandshake(
            after: .milliseconds(duration),
            roundTrip: roundTrip.map { .milliseconds($0) },
            retransmissions: retransmissions
        )
        #expect(handshake.isRepeated == isRepeated && handshake.failure == nil)
        #expect(handshake.rtt == rtt.map { .milliseconds($0) })
    }

    @Test func `A connection leaves no state`() async throws {
        let listener = try Listener()
        #expect(try await probe(target("127.0.0.1:\(listener.port)")).isSuccess)
        let taken = accept(listener.descriptor.number, nil, nil)
        defer { close(taken) }
        #expect(taken >= 0)
        // Reset instead of the end of a stream.
        var byte: UInt8 = 0
        #expect(read(taken, &byte, 1) == -1 && errno == ECONNRESET)
    }

    @Test func `A closed port refuses, which still times the path`() async throws {
        let result = try await probe(target("127.0.0.1:\(try Loopback.closedPort())"))
        #expect(result.failure == .refused)
        #expect(result.detail.contains("127.0.0.1"))
        #expect(result.phases.connect == nil)
        #expect(result.rtt != nil)
    }

    @Test func `A missing device has a failure of its own`() async throws {
        var target = target("127.0.0.1:80")
        for device in ["nhe-none", "a-name-that-is-too-long-for-a-device"] {
            target.interface = device
            let result = try await probe(target)
            #expect(result.failure == .noInterface)
            #expect(result.device == device)
        }
    }

    @Test func `A target bound to a device reaches hosts there`() async throws {
        let listener = try Listener()
        var target = target("127.0.0.1:\(listener.port)")
        target.interface = "lo"
        #expect(try await probe(target).isSuccess)
    }

    @Test func `A listener with a full queue is a timeout`() async throws {
        let full = try Listener()
        listen(full.descriptor.number, 0)
        var target = target("127.0.0.1:\(full.port)")
        // The kernel answers no SYN once the queue is full.
        var fillers: [Int32] = []
        for _ in 0..<3 {
            let filler = try Descriptor.openSocket(family: AF_INET, type: SocketType.stream, protocol: 0)
            _ = SocketAddress(test: "127.0.0.1:\(full.port)").withPointer { connect(filler.number, $0, $1) }
            fillers.append(dup(filler.number))
        }
        defer { for filler in fillers { close(filler) } }
        target.timeout = .milliseconds(50)
        let result = try await probe(target)
        #expect(result.failure == .timeout)
        #expect(result.duration >= .milliseconds(50))
        #expect(result.rtt == nil)
    }

    @Test func `An address without a port is refused`() async throws {
        #expect(try await probe(target("127.0.0.1")).failure == .resolve)
    }

    @Test func `A name without an address is a failure to resolve`() async throws {
        let result = try await probe(target("nowhere.invalid:80"))
        #expect(result.failure == .resolve)
        #expect(result.detail.contains("nowhere.invalid"))
    }

    @Test func `The next address is tried if one refuses`() async throws {
        // No other test listens there over IPv4.
        let listener = try Listener(AF_INET6, port: try Loopback.closedPort(ipv6: true))
        let resolver = FakeResolver(names: ["two.test": [SocketAddress(test: "127.0.0.1"), SocketAddress(test: "::1")]])
        let result = try await probe(target("two.test:\(listener.port)"), resolver: resolver)
        #expect(result.isSuccess, "\(result.detail)")
        #expect(result.address == IPAddress("::1"))
        var onlyIPv4 = target("two.test:\(listener.port)")
        onlyIPv4.family = .ipv4
        #expect(try await probe(onlyIPv4, resolver: resolver).failure == .refused)
    }

    @Test func `A refusal stays the result if IPv6, the next address, is switched off`() async throws {
        let resolver = FakeResolver(names: ["two.test": ["127.0.0.1", "2001:db8::1"].map { SocketAddress(test: $0) }])
        // As connect(2) fails there; this machine may have a route.
        let off = ProbeResult(failure: ProbeFailure(errno: EADDRNOTAVAIL), detail: "connect")
        let target = target("two.test:9")
        let result = await resolver.tryAddresses(of: "two.test", port: 9, for: target) { address, _ in
            address.ip.family == .ipv6 ? off : ProbeResult(failure: .refused, detail: "connect")
        }
        #expect(result.failure == .refused && result.address == IPAddress("127.0.0.1"))
    }

    @Test func `An address that comes after the deadline is not asked: nothing is known of the target`() async throws {
        let resolver = FakeResolver(names: ["late.test": [SocketAddress(test: "127.0.0.1")]])
        var late = target("late.test:9")
        late.timeout = .zero
        let result = await resolver.tryAddresses(of: "late.test", port: 9, for: late) { _, _ in
            ProbeResult(failure: .timeout, detail: "asked")
        }
        #expect(result.failure == .local, "\(result.detail)")
    }

    @Test func `an endpoint of the internet check is connected to`() async throws {
        let listener = try Listener()
        let endpoint = SocketAddress(test: "127.0.0.1:\(listener.port)")
        let connecting: any Connecting = HandshakeTimer(readiness: try Readiness(name: "tcp-test"))
        let result = await connecting.connect(to: endpoint, interface: nil, timeout: .seconds(30))
        #expect(result.isSuccess && result.rtt != nil && result.address == endpoint.ip)
    }
}
