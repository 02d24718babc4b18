import Posix
import Testing

struct AddressRangeTests {
    @Test(arguments: [
        ("198.18.0.0/15", ["198.18.0.0", "198.19.255.255"], ["198.17.255.255", "198.20.0.0", "::c612:0"]),
        ("192.0.2.7/32", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8"]),
        ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::"]),
        ("2001::/23", ["2001::", "2001:1ff:ffff::"], ["2001:200::", "2000:ffff::", "32.1.0.0"]),
        ("8000::/1", ["8000::", "ffff::"], ["7fff::"]),
        ("::1/128", ["::1"], ["::", "::2", "1::1"]),
    ])
    func `holds its addresses and no others`(text: String, inside: [String], outside: [String]) throws {
        let range = try #require(AddressRange(text))
        for text in inside { #expect(range.contains(try #require(IPAddress(text))), "\(text)") }
        for text in outside { #expect(!range.contains(try #require(IPAddress(text))), "\(text)") }
        #expect(range.description == text)
    }

    @Test(arguments: [
        ("::ffff:192.0.2.0/120", "192.0.2.0/24"), ("::ffff:192.0.2.7/128", "192.0.2.7/32"),
        ("::ffff:0:0/96", "0.0.0.0/0"),
        ("::ffff:0:0/95", nil), ("::ffff:192.0.2.1/120", nil),
    ])
    func `A range of IPv4 addresses in IPv6 is that of IPv4`(text: String, plain: String?) {
        #expect(AddressRange(text)?.description == plain)
    }

    @Test(arguments: [
        "", "/", "198.18.0.0", "198.18.0.0/", "/15", "198.18.0.0/15/", "198.18.0.0/33", "::/129", "198.18.0.0/-1",
        "198.18.0.0/256", "198.18.0.1/15", "198.19.0.0/14", "2001:db8::1/127x", "2001:db8::1/64", "example.org/8",
    ])
    func `refuses what is no range`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test func `finds the IPv4 address that an IPv6 one carries`() throws {
        #expect(IPAddress("::ffff:192.0.2.1")?.mappedIPv4 == IPAddress("192.0.2.1"))
        #expect(IPAddress("::fffe:192.0.2.1")?.mappedIPv4 == nil)
        #expect(IPAddress("192.0.2.1")?.mappedIPv4 == nil)
        #expect(IPAddress("64:ff9b::192.0.2.1")?.translatedIPv4 == IPAddress("192.0.2.1"))
        #expect(IPAddress("64:ff9b:1::192.0.2.1")?.translatedIPv4 == nil)
        #expect(IPAddress("64:ff9b::192.0.2.1")?.mappedIPv4 == nil)
    }
}
