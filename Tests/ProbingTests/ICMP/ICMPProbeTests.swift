import HTTPTransfer
import Posix
import Probing
import Testing

@Suite(.timeLimit(.minutes(3)))
struct ICMPProbeTests {
    private let readiness: Readiness

    init() throws { readiness = try Readiness(name: "icmp-test") }

    private func probe(
        _ address: String,
        resolver: FakeResolver = .init(),
        gateways: [ProbeContext.Gateway] = [],
        _ change: (inout Target) -> Void = { _ in }
    ) async throws -> ProbeResult {
        var target = Target(name: "t", address: address, probe: ICMPProbe())
        target.timeout = .seconds(40)
        change(&target)
        let tools = try ProbeTools.make(resolver: resolver, readiness: readiness)
        return await target.probe.probe(target, in: ProbeContext(gateways: gateways), with: tools)
    }

    @Test func `a name is resolved first`() async throws {
        let resolver = FakeResolver(names: ["host.test": [SocketAddress(test: "127.0.0.1")]])
        let result = try await probe("host.test", resolver: resolver)
        #expect(result.isSuccess, "\(result.detail)")
        #expect(result.address == IPAddress("127.0.0.1"))
        let resolve = try #require(result.phases.resolve)
        #expect(resolve <= result.duration)
    }

    @Test func `A name without an address is a failure to resolve`() async throws {
        #expect(try await probe("nowhere.invalid").failure == .resolve)
    }

    @Test func `the family decides among the addresses`() async throws {
        let resolver = FakeResolver(names: ["two.test": [SocketAddress(test: "127.0.0.1"), SocketAddress(test: "::1")]])
        let result = try await probe("two.test", resolver: resolver) { $0.family = .ipv6 }
        #expect(result.isSuccess && result.address == IPAddress("::1"))
    }

    @Test func `After an address without a route the next one is tried`() async throws {
        // 240.0.0.0/4 is reserved (RFC 1112).
        let resolver = FakeResolver(names: [
            "two.test": [SocketAddress(test: "255.255.255.255"), SocketAddress(test: "::1")]
        ])
        let result = try await probe("two.test", resolver: resolver)
        #expect(result.isSuccess && result.address == IPAddress("::1"), "\(result.detail)")
    }

    @Test func `the first router of the path is the gateway`() async throws {
        let gateways = ["127.0.0.2", "127.0.0.3"].compactMap { ProbeContext.Gateway($0) }
        let result = try await probe(Target.gatewayAddress, gateways: gateways)
        #expect(result.isSuccess && result.address == IPAddress("127.0.0.2"), "\(result.detail)")
    }

    @Test func `The gateway is one of the configured family and device`() async throws {
        let gateways = ["127.0.0.2%eth9", "::1", "127.0.0.3%lo"].compactMap { ProbeContext.Gateway($0) }
        let six = try await probe(Target.gatewayAddress, gateways: gateways) { $0.family = .ipv6 }
        #expect(six.address == IPAddress("::1"))
        let bound = try await probe(Target.gatewayAddress, gateways: gateways) {
            $0.interface = "lo"
            $0.family = .ipv4
        }
        #expect(bound.address == IPAddress("127.0.0.3") && bound.device == "lo")
    }

    @Test func `a path without a router cannot reach it`() async throws {
        #expect(try await probe(Target.gatewayAddress).failure == .unreachable)
        let gateways = ["::1"].compactMap { ProbeContext.Gateway($0) }
        #expect(
            try await probe(Target.gatewayAddress, gateways: gateways) { $0.family = .ipv4 }.failure == .unreachable
        )
    }

    @Test func `the gateway check needs no target`() async throws {
        let pinging: any Pinging = Pinger(readiness: readiness) { _ in }
        let result = await pinging.ping(ProbeContext.Gateway("127.0.0.1")!, timeout: .seconds(30))
        #expect(result.isSuccess)
    }
}
