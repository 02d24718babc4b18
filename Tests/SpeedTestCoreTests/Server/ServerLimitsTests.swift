import Posix
import Testing

@testable import SpeedTestCore

struct AddressRuleTests {
    @Test(arguments: [
        ("127.0.0.1", "loopback"), ("127.255.0.9", "loopback"), ("::1", "loopback"), ("10.0.0.1", "private"),
        ("172.16.0.1", "private"), ("172.31.255.255", "private"), ("172.32.0.1", "public"), ("192.168.1.1", "private"),
        ("fd00::1", "private"), ("169.254.1.1", "link-local"), ("fe80::1", "link-local"), ("100.64.0.1", "public"),
        ("198.18.0.1", "public"), ("2001:db8::1", "public"), ("8.8.8.8", "public"),
    ])
    func `knows the class of an address`(address: String, word: String) throws {
        let address = try #require(IPAddress(address))
        #expect(AddressRule(classOf: address).description == word)
        for rule in ["loopback", "private", "link-local", "public"].compactMap({ AddressRule($0) }) {
            #expect(rule.allows(address) == (rule.description == word))
        }
    }

    @Test func `reads words and ranges, and prints them unchanged`() throws {
        for text in ["loopback", "private", "link-local", "public", "198.18.0.0/15", "2001:db8::/32"] {
            #expect(try #require(AddressRule(text)).description == text)
        }
        for text in ["", "Private", "198.18.0.1", "198.18.0.1/15", "any"] { #expect(AddressRule(text) == nil) }
        let range = try #require(AddressRule("198.18.0.0/15"))
        #expect(range.allows(try #require(IPAddress("198.19.255.255"))))
        #expect(!range.allows(try #require(IPAddress("198.20.0.0"))))
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("192.168.0.7", true), ("fe80::1%eth0", true), ("::ffff:10.0.0.1", true),
        ("::ffff:8.8.8.8", false), ("8.8.8.8", false), ("2001:db8::1", false), ("nonsense", false), ("", true),
    ])
    func `accepts local and private clients by default`(peer: String, isAllowed: Bool) {
        #expect(ServerLimits().allows(peer: peer) == isAllowed)
    }

    @Test func `a Unix socket is this host`() {
        var limits = ServerLimits()
        limits.allow = [.privateUse]
        #expect(!limits.allows(peer: ""))
    }
}
