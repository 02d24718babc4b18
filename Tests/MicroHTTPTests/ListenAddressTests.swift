import Testing

@testable import MicroHTTP

struct ListenAddressTests {
    @Test(arguments: [
        (":10319", "", 10319),
        ("127.0.0.1:0", "127.0.0.1", 0),
        ("[::1]:65535", "::1", 65535),
        ("[fe80::1%eth0]:80", "fe80::1%eth0", 80),
        ("localhost:80", "localhost", 80),
    ])
    func `reads an address`(text: String, host: String, port: UInt16) throws {
        let address = try ListenAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.description == text)
    }

    @Test func `adds the brackets of an IPv6 address, as a manifest without them has it`() throws {
        let address = try ListenAddress("2001:db8::1:10319")
        #expect(address == ListenAddress(host: "2001:db8::1", port: 10319))
        #expect(address.description == "[2001:db8::1]:10319")
    }

    @Test(arguments: [
        "", "80", "localhost", ":", ":65536", ":-1", ":+1", ":8o", "::1:80", "[::1]", "[]:80", "[::1:80", "::1]:80",
        "a b:80",
    ])
    func `Refuses other texts and quotes them`(text: String) throws {
        let error = try #require(throws: ListenError.self) { try ListenAddress(text) }
        #expect(error.description.contains("\"\(text)\""))
    }
}
