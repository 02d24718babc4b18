import NetworkPath
import Posix
import Probing
import Testing

@testable import NetworkHealth

struct WayTests {
    private func way(_ addresses: [String?], _ change: (inout FaultEvidence) -> Void = { _ in }) -> Way {
        var evidence = FaultLine(addresses).evidence
        change(&evidence)
        return Way(evidence.hops[0], in: evidence)
    }

    @Test(arguments: [
        (["192.168.1.1", "198.51.100.1"], 2...2),
        (["192.168.1.1", "100.64.0.1"], 2...2),
        (["192.168.1.1", "192.168.2.1", "198.51.100.1"], 3...3),
        // A second router at home, or a provider that uses private addresses.
        (["192.168.1.1", "10.0.0.1", "198.51.100.1"], 2...3),
        (["192.168.1.1", "172.16.0.1", "10.0.0.1", "198.51.100.1"], 2...4),
        (["192.168.1.1", "100.64.0.1", "10.0.0.1", "198.51.100.1"], 2...2),
        (["192.168.1.1", nil, "198.51.100.1"], 2...3),
        (["192.168.1.1"], 2...2),
        (["100.64.0.1", "198.51.100.1"], 1...1),
    ])
    func `addresses say where the provider begins`(addresses: [String?], range: ClosedRange<Int>) {
        #expect(way(addresses).firstProviderHop == range)
    }

    @Test func `the configuration overrides them, and a modem of this host has no router at home`() {
        #expect(way(["192.168.1.1", "10.0.0.1", "198.51.100.1"]) { $0.firstProviderHop = 2 }.firstProviderHop == 2...2)
        let modem = way(["10.0.0.1", "198.51.100.1"]) { $0.path?.interface?.isPointToPoint = true }
        #expect(modem.firstProviderHop == 1...1)
        #expect(modem.places(from: 0, to: 1, .outage) == [.link, .access])
    }

    @Test(arguments: [
        ("2001:db8:0:1::1", HopOwner.home), ("2001:db8:0:100::1", .open), ("2001:db9::1", .provider(isShared: false)),
        ("fd00::1", .open),
    ])
    func `routers at home share the delegated prefix`(address: String, owner: HopOwner) throws {
        let own = try #require(IPAddress("2001:db8:0:1:2::3"))
        #expect(HopOwner(try #require(IPAddress(address)), ownAddresses: [own]) == owner)
    }

    @Test func `a stretch has one place where every possible begin of the provider gives the same`() {
        let open = way(["192.168.1.1", "10.0.0.1", "198.51.100.1", "203.0.113.5"])
        #expect(open.places(from: 0, to: 1, .outage) == [.router])
        #expect(open.places(from: 0, to: 1, .loss) == [.link])
        #expect(open.places(from: 1, to: 2, .loss) == [.access])
        #expect(open.places(from: 2, to: 3, .loss) == [.access, .provider])
        #expect(open.places(from: 3, to: 4, .loss) == [.provider])
        #expect(open.places(from: 4, to: nil, .loss) == [.internet])
        #expect(open.places(from: 3, to: nil, .loss) == [.provider, .internet])
        #expect(open.places(behindRouter: 1) == [.access])
        #expect(open.places(behindRouter: 2) == [.access, .provider])
        #expect(open.places(behindRouter: 9) == [.internet])
    }

    @Test func `what is known to be behind the provider's first hop alone is the provider's`() {
        var report = FaultLine(["192.168.1.1", "198.51.100.1", "192.0.2.1"]).evidence.hops[0]
        report.end = 3
        let way = Way(report, in: FaultLine().evidence)
        #expect(way.places(from: 2, to: nil, .outage) == [.provider])
        #expect(way.places(from: 1, to: nil, .outage) == [.access, .provider])
    }
}
