import Coordination
import NetworkHealth
import NetworkPath
import Posix
import Probing
import Statistics
import Testing

@testable import NetworkHealthExporter

struct PublicAddressWatchTests {
    private static func path(_ router: String = "192.0.2.1") -> Path {
        var path = Path(status: .satisfied)
        (path.interface, path.gateways) = (Interface(name: "eth0", index: 2, type: .wiredEthernet), [router])
        return path
    }

    /// The public address of each server; none: it does not answer.
    private let addresses = Locked<[String: String]>([:])
    private let asked = Locked<[String]>([])

    private func watch() throws -> PublicAddressWatch {
        var section = StunSection()
        section.servers = try ["192.0.2.10:3478", "192.0.2.11:3478", "[2001:db8::10]:3478"].map {
            try #require(SocketAddress($0))
        }
        return PublicAddressWatch(section) { [addresses, asked] server in
            asked.withLock { $0.append("\(server.ip)") }
            let text = addresses.withLock { $0["\(server.ip)"] }
            return STUNClient.Answer(
                address: text.flatMap { IPAddress($0) },
                traffic: ByteCounts(received: 1, transmitted: 2)
            )
        }
    }

    private func rounds(_ count: Int, _ watch: PublicAddressWatch, _ path: Path = path()) async -> [AddressFamily] {
        var changed: [AddressFamily] = []
        for _ in 0..<count { changed += await watch.round(over: path) { path } }
        return changed
    }

    @Test func `a changed address of either family is one change, and the first server that answers is asked`()
        async throws
    {
        let watch = try watch()
        addresses.withLock { $0 = ["192.0.2.10": "198.18.0.1", "2001:db8::10": "2001:db8:1::1"] }
        #expect(await rounds(9, watch).isEmpty)
        #expect(!asked.withLock { $0.contains("192.0.2.11") })
        addresses.withLock { $0["192.0.2.10"] = "198.18.0.2" }
        #expect(await rounds(4, watch).isEmpty)
        #expect(await rounds(9, watch) == [.ipv4])
        addresses.withLock { $0 = ["192.0.2.11": "198.18.0.2", "2001:db8::10": "2001:db8:1::2:3"] }
        #expect(await rounds(9, watch).isEmpty, "a host changes the last 64 bits itself")
        addresses.withLock { $0["2001:db8::10"] = "2001:db8:2::1" }
        #expect(await rounds(9, watch) == [.ipv6])
        #expect(watch.traffic.transmitted == 2 * UInt64(asked.withLock(\.count)))
    }

    @Test func `over another path another address is no change, and where data cost money no server is asked`()
        async throws
    {
        let watch = try watch()
        addresses.withLock { $0 = ["192.0.2.10": "198.18.0.1"] }
        #expect(await rounds(9, watch).isEmpty)
        addresses.withLock { $0 = ["192.0.2.10": "198.18.0.2"] }
        #expect(await rounds(20, watch, Self.path("192.0.2.2")).isEmpty)
        asked.withLock { $0 = [] }
        var path = Self.path()
        path.isExpensive = true
        #expect(await rounds(1, watch, path).isEmpty)
        (path.isExpensive, path.isConstrained) = (false, true)
        #expect(await rounds(1, watch, path).isEmpty)
        #expect(asked.withLock(\.isEmpty))
    }
}
