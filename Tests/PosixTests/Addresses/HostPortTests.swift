import Posix
import Testing

struct HostPortTests {
    @Test(arguments: [
        ("example.net:443", "example.net", UInt16(443)), ("dns.example", "dns.example", nil),
        ("example.net.:1", "example.net.", 1), ("_gateway", "_gateway", nil), ("localhost:80", "localhost", 80),
        ("192.0.2.1:1", "192.0.2.1", 1), ("192.0.2.1", "192.0.2.1", nil),
        ("[2001:db8::1]:65535", "2001:db8::1", 65_535), ("2001:db8::1", "2001:db8::1", nil),
        ("[fe80::1%eth0]:53", "fe80::1%eth0", 53), ("fe80::1%eth0", "fe80::1%eth0", nil),
    ])
    func `reads a host with and without a port, and writes it again`(text: String, host: String, port: UInt16?) throws {
        let place = try #require(HostPort(text))
        #expect(place.host == host)
        #expect(place.port == port)
        #expect(place.description == text)
    }

    @Test(arguments: [
        ("2001:db8::1:10319", "[2001:db8::1]:10319"), ("::1:65535", "[::1]:65535"),
        ("2001:db8:1:2:3:4:5:6:80", "[2001:db8:1:2:3:4:5:6]:80"),
    ])
    func `brackets are added around an IPv6 address where nothing else can be meant`(text: String, written: String) {
        #expect(HostPort(text)?.description == written)
    }

    @Test func `an address that ends as a port does is an address`() {
        for text in ["2001:db8::1:80", "fe80::1%eth0:10319"] { #expect(HostPort(text) == HostPort(host: text)) }
    }

    @Test func `an IPv6 address may have brackets without a port`() {
        #expect(HostPort("[2001:db8::1]") == HostPort("2001:db8::1"))
    }

    @Test(arguments: [
        "", ":443", ":53", "host:", "host:0", "host:65536", "host:x", "a:+53", "a:-1", "a:053", "2001:db8::1:443:",
        "2001:db8::1:65536", "2001:db8::1:",
        "[]:1",
        "[a]:1", "[192.0.2.1]:1", "[::1", "[::1]53", "[::1]:", "::1]", "a b", "a]", "a/b", "a@b:1", "192.0.2",
        "192.0.2.256",
        "192.0.2.1%eth0", "fe80::1%", "ä.example", "-_-..", "a\0b",
    ])
    func `anything else is refused`(text: String) {
        #expect(HostPort(text) == nil)
    }

    @Test func `port 0 is read where it is allowed`() {
        #expect(HostPort("host:0", ports: 0...9)?.port == 0)
        #expect(HostPort("host:10", ports: 0...9) == nil)
    }

    @Test func `tells names from addresses, and the device of a link-local one`() {
        #expect(HostPort(host: "example.net").address == nil)
        #expect(HostPort(host: "192.0.2.1").address == IPAddress("192.0.2.1"))
        #expect(HostPort(host: "fe80::1%eth0").address == IPAddress("fe80::1"))
        #expect(HostPort(host: "fe80::1%eth0").zone == "eth0")
        #expect(HostPort(host: "::1").zone == nil)
    }
}
