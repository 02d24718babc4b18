import Testing

@testable import Probing

struct HostPortTests {
    @Test(arguments: [
        ("example.net:443", "example.net", UInt16(443), "https://example.net:443/"),
        ("192.0.2.1:1", "192.0.2.1", 1, "https://192.0.2.1:1/"),
        ("[2001:db8::1]:8443", "2001:db8::1", 8443, "https://[2001:db8::1]:8443/"),
        ("[fe80::1%eth0]:53", "fe80::1%eth0", 53, "https://[fe80::1%25eth0]:53/"),
    ])
    func `a host and a port`(text: String, host: String, port: UInt16, url: String) {
        let place = HostPort(text)
        #expect(place?.host == host)
        #expect(place?.port == port)
        #expect(place?.httpsURL == url)
    }

    @Test(arguments: [
        "", ":443", "host", "host:", "host:0", "host:65536", "host:x", "2001:db8::1:443", "[]:1", "[a]:1",
    ])
    func `anything else is refused`(text: String) {
        #expect(HostPort(text) == nil)
    }
}
