import Testing

@testable import Probing

struct DNSServerNameTests {
    @Test(arguments: [
        ("dns.example", "dns.example", UInt16(53)), ("dns.example:5353", "dns.example", 5353),
        ("192.0.2.1", "192.0.2.1", 53), ("192.0.2.1:53", "192.0.2.1", 53), ("2001:db8::1", "2001:db8::1", 53),
        ("[2001:db8::1]", "2001:db8::1", 53), ("[2001:db8::1]:65535", "2001:db8::1", 65_535),
        ("[fe80::1%eth0]:53", "fe80::1%eth0", 53), ("fe80::1%eth0", "fe80::1%eth0", 53),
    ])
    func `reads hosts with and without a port`(_ text: String, _ host: String, _ port: UInt16) throws {
        let place = try #require(DNSServerName(text))
        #expect(place.host == host && place.port == port)
    }

    @Test(arguments: [
        "", ":53", "a:", "a:0", "a:65536", "a:+53", "a:-1", "a:b", "[]:53", "[a]:53", "[::1", "[::1]53", "[::1]:",
        "::1]",
        "a b", "a]",
    ])
    func `Refuses other texts`(_ text: String) {
        #expect(DNSServerName(text) == nil)
    }
}
