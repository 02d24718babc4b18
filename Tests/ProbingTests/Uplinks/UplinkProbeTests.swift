import Glibc
import Lab
import Posix
import Statistics
import Testing

@testable import Probing

@Suite struct UplinkProbeTests {
    @Test(arguments: [EMFILE, EPERM])
    func `where this machine refuses a socket, nothing follows and no traffic is counted`(code: Int32) async throws {
        let readiness = try Readiness(name: "uplink-test")
        defer { readiness.stop() }
        let probe = UplinkProbe(readiness: readiness) { (_, _, _) throws(SystemError) in
            throw SystemError(call: "socket", code: code)
        }
        let address = try #require(SocketAddress("192.0.2.99:443"))
        let binding = UplinkBinding(device: "eth1", sources: [.ipv4: nil])
        #expect(await probe.round(through: binding, to: [address]) == UplinkRound(.inconclusive))
    }

    @Test func `a connection that is refused is no answer, as a firewall on the way refuses, too`() async throws {
        let readiness = try Readiness(name: "uplink-test")
        defer { readiness.stop() }
        // No ping is permitted, and no program listens there.
        let openSocket: SocketOpener = { (family, type, number) throws(SystemError) in
            if type != SocketType.stream { throw SystemError(call: "socket", code: EACCES) }
            return try Descriptor.openSocket(family: family, type: type, protocol: number)
        }
        let address = try #require(SocketAddress("127.0.0.1:9"))
        let round = await UplinkProbe(readiness: readiness, openSocket: openSocket).round(through: nil, to: [address])
        #expect(round.verdict == .silent && round.outcomes.isEmpty && round.traffic.received == 0)
    }

    @Test func `Where pings are lost and this machine cannot connect, nothing follows`() async throws {
        // The other end drops each packet: none has its hardware address.
        let host = try Namespace(
            """
            link add eth0 type veth peer name far0
            link set far0 up
            link set eth0 up
            address add 198.18.0.2/24 dev eth0
            neigh add 198.18.0.1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent
            route add default via 198.18.0.1
            """
        )
        let readiness = try Readiness(name: "uplink-test")
        defer { readiness.stop() }
        let openSocket: SocketOpener = { (family, type, number) throws(SystemError) in
            if type == SocketType.stream { throw SystemError(call: "socket", code: EMFILE) }
            return try host.openSocket(family, type, number)
        }
        let probe = UplinkProbe(readiness: readiness, openSocket: openSocket, timeout: .milliseconds(200))
        let address = try #require(SocketAddress("192.0.2.99:443"))
        let round = await probe.round(through: nil, to: [address])
        #expect(round.verdict == .inconclusive)
        #expect(round.traffic.transmitted > 0 && round.traffic.received == 0, "pings were sent, and are lost")
    }
}
