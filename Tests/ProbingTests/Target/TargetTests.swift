import HTTPTransfer
import Probing
import Testing

struct TargetTests {
    @Test func `Two targets are equal only if their probes have the same kind and the same options`() {
        func target(_ probe: any Probe) -> Target { .make("a", probe) }
        #expect(target(ICMPProbe()) == target(ICMPProbe()))
        #expect(target(TCPProbe()) != target(ICMPProbe()))
        #expect(target(DNSProbe(query: "a.test")) == target(DNSProbe(query: "a.test")))
        #expect(target(DNSProbe(query: "a.test")) != target(DNSProbe(query: "a.test", type: .mx)))
        #expect(target(TCPProbe()) != target(TCPProbe(tls: TransferTLS())))
    }

    @Test(arguments: [
        (ICMPProbe() as any Probe, 2), (DNSProbe(query: "a"), 2), (HTTPProbe(), 5), (GraphQLProbe(query: "a"), 5),
    ])
    func `The default timeout is that of the kind of probe`(probe: any Probe, seconds: Int) {
        #expect(Target.make("a", probe).timeout == .seconds(seconds))
    }
}
