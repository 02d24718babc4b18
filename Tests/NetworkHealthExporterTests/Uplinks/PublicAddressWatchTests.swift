import Coordination
import Foundation
import Lab
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
        for _ in 0..<count { changed += await watch.round(over: path) { path }.changed }
        return changed
    }

    private func addresses(_ watch: PublicAddressWatch, _ path: Path = path(), isOnline: Bool = true) async
        -> [AddressFamily: Set<IPAddress>]
    {
        await watch.round(over: path, isOnline: isOnline) { path }.addresses
    }

    @Test func `the address is known from the first answer on, until another one is certain or two rounds are silent`()
        async throws
    {
        let watch = try watch()
        let (one, two) = (try #require(IPAddress("198.18.0.1")), try #require(IPAddress("198.18.0.2")))
        addresses.withLock { $0 = ["192.0.2.10": "198.18.0.1", "2001:db8::10": "2001:db8:1::1:1"] }
        let first = await addresses(watch)
        #expect(first == [.ipv4: [one], .ipv6: [try #require(IPAddress("2001:db8:1::"))]])
        #expect(await rounds(9, watch).isEmpty)
        addresses.withLock { $0 = ["192.0.2.10": "198.18.0.2"] }
        #expect(await addresses(watch).isEmpty, "in doubt, and silent for the first time")
        #expect(await addresses(watch) == [.ipv6: []])
        #expect(await rounds(2, watch).isEmpty)
        #expect(await addresses(watch)[.ipv4] == [two])
        addresses.withLock { $0 = [:] }
        for _ in 0..<3 { #expect(await addresses(watch, isOnline: false).isEmpty, "the line itself may be dead") }
        #expect(await addresses(watch) == [.ipv6: []])
        #expect(await addresses(watch)[.ipv4] == [])
        addresses.withLock { $0 = ["192.0.2.10": "198.18.0.2"] }
        #expect(await addresses(watch)[.ipv4] == [two])
        var path = Self.path()
        path.isExpensive = true
        #expect(await addresses(watch, path) == [.ipv4: [], .ipv6: []], "it is not asked any more")
    }

    @Test func `servers are asked about another path at once`() async throws {
        var section = StunSection()
        section.servers = [try #require(SocketAddress("192.0.2.10:3478"))]
        let (clock, count) = (ManualClock(), Locked(0))
        let health = Locked<HealthState?>(nil)
        let watch = PublicAddressWatch(section, clock: clock) { _ in
            count.withLock { $0 += 1 }
            return STUNClient.Answer()
        }
        func follow(_ path: Path) {
            let state = HealthState(path: path, timestamp: .now)
            health.withLock { $0 = state }
            watch.follow(state)
        }
        follow(Self.path())
        let run = Task { await watch.run({ health.read { $0 } }) { _, _ in } }
        defer { run.cancel() }
        // At the start, and because the path is new.
        while count.withLock(\.self) < 2 { await Task.yield() }
        await clock.sleeper(until: section.interval)
        follow(Self.path())
        follow(Self.path("192.0.2.2"))
        while count.withLock(\.self) < 3 { await Task.yield() }
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
