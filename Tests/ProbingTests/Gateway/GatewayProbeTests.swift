import Coordination
import Glibc
import HTTPTransfer
import Netlink
import Posix
import Testing

@testable import Probing

/// On the loopback, with an ICMP socket that this host grants to the tests.
@Suite(.timeLimit(.minutes(3)))
struct GatewayProbeTests {
    /// Gives the configured answer, and counts the requests.
    private final class Neighbours: NeighbourReading {
        private let asked = Locked<[ProbeContext.Gateway]>([])

        var all: [ProbeContext.Gateway] { asked.withLock { $0 } }

        func state(of gateway: ProbeContext.Gateway) async -> NeighbourState? {
            asked.withLock { $0.append(gateway) }
            var state = NeighbourState(rawValue: 0x02)
            state.confirmedAgo = .seconds(7)
            return state
        }
    }

    /// A table that cannot be read: the kernel is older than 5.0, or this process has no descriptor left.
    private struct UnreadableNeighbours: NeighbourReading {
        func state(of gateway: ProbeContext.Gateway) async -> NeighbourState? { nil }
    }

    private let neighbours = Neighbours()
    private let gateways = ["127.0.0.1"].compactMap { ProbeContext.Gateway($0) }

    private func probe(
        timeout: Duration = .seconds(40),
        isReadable: Bool = true,
        openSocket: @escaping SocketOpener = Descriptor.openSocket
    ) async throws -> ProbeResult {
        let readiness = try Readiness(name: "gateway-test")
        let tools = ProbeTools(
            transfers: FakeTransfers(TransferError(.stopped, phase: .resolve, message: "not faked")),
            resolver: FakeResolver(),
            readiness: readiness,
            pinger: Pinger(readiness: readiness, openSocket: openSocket) { _ in },
            handshakes: HandshakeTimer(readiness: readiness),
            neighbours: isReadable ? neighbours : UnreadableNeighbours()
        )
        var target = Target.gateway(every: .seconds(10), isAutomatic: true)
        target.timeout = timeout
        return await target.probe.probe(target, in: ProbeContext(gateways: gateways), with: tools)
    }

    @Test func `where ICMP is not permitted nothing is sent, and the result says nothing`() async throws {
        let kinds = Locked<[Int32]>([])
        let result = try await probe { (_, _, number) throws(SystemError) in
            kinds.withLock { $0.append(number) }
            throw SystemError(call: "socket", code: EACCES)
        }
        #expect(result.inconclusive == .notPermitted)
        #expect(!result.isSuccess && result.failure == nil)
        #expect(kinds.withLock { $0 } == [Int32(IPPROTO_ICMP), Int32(IPPROTO_ICMP)], "no TCP")
        #expect(neighbours.all.isEmpty)
    }

    @Test func `the neighbour table is read only when no answer came`() async throws {
        let answered = try await probe()
        try #require(answered.inconclusive == nil, "needs root, or net.ipv4.ping_group_range")
        #expect(answered.isSuccess && answered.isNeighbour == nil && neighbours.all.isEmpty)
        let lost = try await probe(timeout: .zero)
        #expect(lost.failure == .timeout && lost.isNeighbour == true)
        #expect(try #require(lost.confirmedAt) < .now - .seconds(6))
        #expect(neighbours.all == gateways)
        #expect(try await probe(timeout: .zero, isReadable: false).isNeighbour == nil, "it is not known to be gone")
    }

    @Test func `it is an icmp target of the name gateway`() {
        let target = Target.gateway(every: .seconds(10), isAutomatic: true)
        #expect(target.name == "gateway" && target.module == "icmp" && target.isGateway)
        #expect(target.interval == .seconds(10) && target.timeout == .seconds(2))
        #expect(target != .gateway(every: .seconds(10), isAutomatic: false))
    }

    @Test(arguments: ["255.255.255.255", "fe80::1%nothere"])
    func `an address without a route has no entry in the kernel's table`(address: String) async throws {
        let gateway = try #require(ProbeContext.Gateway(address))
        #expect(await KernelNeighbours().state(of: gateway)?.isReachable != true)
    }
}
