import NetworkHealth
import NetworkPath
import Posix
import Statistics
import Testing

@testable import NetworkHealthExporter
@testable import Probing

struct ProviderHopTests {
    private let now = ContinuousClock.now

    private func evidence(_ addresses: [String?], ago: Duration = .seconds(60), end: Int? = nil) -> FaultEvidence {
        var evidence = FaultEvidence()
        evidence.path = Path(status: .satisfied)
        evidence.path?.interface = Interface(name: "eth0", index: 2, type: .wiredEthernet)
        var report = HopReport(family: .ipv4)
        report.end = end
        report.hops = addresses.enumerated().map { index, address in
            var hop = HopReport.Hop(distance: index + 1)
            hop.addresses = address.flatMap { IPAddress($0) }.map { [$0] } ?? []
            for number in 1...4 { hop.window.push(.milliseconds(number * (index + 1)), at: now - ago) }
            return hop
        }
        evidence.hops = [report]
        return evidence
    }

    @Test func `it is the first hop whose address is the provider's, with the median of its last answers`() {
        let found = ProviderHop(evidence(["192.168.1.1", "100.64.0.1", "198.51.100.1"]), at: now)
        #expect(found == ProviderHop(address: IPAddress("100.64.0.1"), latency: .milliseconds(5)))
    }

    @Test func `an answer of long ago is no latency of now`() {
        let old = evidence(["192.168.1.1", "198.51.100.1"], ago: .seconds(1000))
        #expect(ProviderHop(old, at: now) == ProviderHop(address: IPAddress("198.51.100.1")))
    }

    @Test func `where addresses leave it open, and before it is seen, it is not known`() {
        #expect(ProviderHop(evidence(["192.168.1.1", "10.0.0.1", "198.51.100.1"]), at: now) == ProviderHop())
        #expect(ProviderHop(evidence(["192.168.1.1", nil, "198.51.100.1"]), at: now) == ProviderHop())
        #expect(ProviderHop(evidence([]), at: now) == ProviderHop())
        #expect(ProviderHop(FaultEvidence(), at: now) == ProviderHop())
        // The second hop is the destination itself.
        #expect(ProviderHop(evidence(["192.168.1.1", "198.51.100.1"], end: 2), at: now) == ProviderHop())
        var configured = evidence(["192.168.1.1", "10.0.0.1", "198.51.100.1"])
        configured.firstProviderHop = 2
        #expect(ProviderHop(configured, at: now)?.address == IPAddress("10.0.0.1"))
    }

    @Test func `a tunnel hides it`() {
        var evidence = evidence(["192.168.1.1", "198.51.100.1"])
        evidence.path?.interface = .tunnel
        #expect(ProviderHop(evidence, at: now) == nil)
    }
}
