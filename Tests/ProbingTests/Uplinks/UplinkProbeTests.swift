import Glibc
import Posix
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

    @Test func `Where pings are lost and this machine cannot connect, nothing follows`() async throws {
        let readiness = try Readiness(name: "uplink-test")
        defer { readiness.stop() }
        let openSocket: SocketOpener = { (family, type, number) throws(SystemError) in
            if type == SocketType.stream { throw SystemError(call: "socket", code: EMFILE) }
            return try Descriptor.openSocket(family: family, type: type, protocol: number)
        }
        let probe = UplinkProbe(readiness: readiness, openSocket: openSocket, timeout: .milliseconds(20))
        let address = try #require(SocketAddress("192.0.2.99:443"))
        #expect(await probe.round(through: nil, to: [address]).verdict == .inconclusive)
    }
}
