import HTTPTransfer
import Posix
import Probing
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ICMPProbeTests {
    private let pinger: Pinger

    init() throws {
        pinger = Pinger(readiness: try Readiness(name: "icmp-test")) { _ in }
    }

    private func probe(
        _ address: String,
        resolver: FakeResolver = .init(),
        gateways: [ProbeSurroundings.Gateway] = [],
        _ change: (inout Target) -> Void = { _ in }
    ) async -> ProbeResult {
        var target = Target(name: "t", address: address, options: .icmp)
        target.timeout = .seconds(40)
        change(&target)
        return await ICMPProbe(pinger: pinger, resolver: resolver)
            .probe(target, in: ProbeSurroundings(gateways: gateways))
    }

    @Test func `a name is resolved first`() async throws {
        let resolver = FakeResolver(names: ["host.test": [ResolvedAddress("127.0.0.1")]])
        let result = await probe("host.test", resolver: resolver)
        #expect(result.isSuccess, "\(result.detail)")
        #expect(result.address == IPAddress("127.0.0.1"))
        let resolve = try #require(result.phases.resolve)
        #expect(resolve <= result.duration)
    }

    @Test func `a name without an address is told as such`() async {
        #expect(await probe("nowhere.invalid").failure == .resolve)
    }

    @Test func `the family decides among the addresses`() async {
        let resolver = FakeResolver(names: ["two.test": [ResolvedAddress("127.0.0.1"), ResolvedAddress("::1")]])
        let result = await probe("two.test", resolver: resolver) { $0.family = .ipv6 }
        #expect(result.isSuccess && result.address == IPAddress("::1"))
    }

    @Test func `an address that the kernel has no way to gives way to the next`() async {
        // 240.0.0.0/4 is reserved (RFC 1112).
        let resolver = FakeResolver(names: ["two.test": [ResolvedAddress("255.255.255.255"), ResolvedAddress("::1")]])
        let result = await probe("two.test", resolver: resolver)
        #expect(result.isSuccess && result.address == IPAddress("::1"), "\(result.detail)")
    }

    @Test func `the first router of the path is the gateway`() async {
        let gateways = ["127.0.0.2", "127.0.0.3"].compactMap { ProbeSurroundings.Gateway($0) }
        let result = await probe(Target.gatewayAddress, gateways: gateways)
        #expect(result.isSuccess && result.address == IPAddress("127.0.0.2"), "\(result.detail)")
    }

    @Test func `the gateway is one of the wanted family and device`() async {
        let gateways = ["127.0.0.2%eth9", "::1", "127.0.0.3%lo"].compactMap { ProbeSurroundings.Gateway($0) }
        let six = await probe(Target.gatewayAddress, gateways: gateways) { $0.family = .ipv6 }
        #expect(six.address == IPAddress("::1"))
        let bound = await probe(Target.gatewayAddress, gateways: gateways) {
            $0.interface = "lo"
            $0.family = .ipv4
        }
        #expect(bound.address == IPAddress("127.0.0.3") && bound.device == "lo")
    }

    @Test func `a path without a router cannot reach it`() async {
        #expect(await probe(Target.gatewayAddress).failure == .unreachable)
        let gateways = ["::1"].compactMap { ProbeSurroundings.Gateway($0) }
        #expect(await probe(Target.gatewayAddress, gateways: gateways) { $0.family = .ipv4 }.failure == .unreachable)
    }

    @Test func `the gateway check needs no target`() async {
        let pinging: any Pinging = pinger
        let result = await pinging.ping(ProbeSurroundings.Gateway("127.0.0.1")!, timeout: .seconds(30))
        #expect(result.isSuccess)
    }
}
