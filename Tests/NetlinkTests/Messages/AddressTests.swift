import CLinux
import Lab
import Netlink
import Posix
import Testing

struct AddressTests {
    @Test func `reads a recorded dump`() throws {
        let addresses = try RecordedNetlink.addresses.datagrams().flatMap { try Parse.messages($0) }
            .filter { $0.message.type == RTM_NEWADDR }.compactMap { try Parse.address($0.payload) }
        let byText = Dictionary(uniqueKeysWithValues: addresses.map { ("\($0.interfaceIndex) \($0.address)", $0) })
        // With a peer, the prefix is the peer's.
        #expect(byText["10 198.18.1.1"]?.prefixLength == 32)
        #expect(byText["10 198.18.0.1"]?.prefixLength == 24)
        #expect(byText["1 127.0.0.1"]?.scope == 254)
        #expect(byText["1 ::1"]?.preferredLifetime == .max)
        #expect(byText["10 2001:db8::1"]?.flags == 0x82)  // permanent, without duplicate detection
        #expect(byText["10 2001:db8:1::1"]?.flags == 0xa2)  // and deprecated
        #expect(byText["10 2001:db8:1::1"]?.preferredLifetime == 0)
        #expect(byText["10 fe80::ff:fe00:10"]?.scope == 253)
    }

    @Test func `prefers the 32-bit flags`() throws {
        let local = Build.attribute(IFA_LOCAL, [198, 18, 0, 1])
        #expect(try Parse.address(Build.address(local))?.flags == 0x80)
        let flags = Build.attribute(IFA_FLAGS, Build.integer(UInt32(0x280)))
        #expect(try Parse.address(Build.address(flags, local))?.flags == 0x280)
    }

    @Test func `ignores another family`() throws {
        #expect(try Parse.address(Build.address(family: 28)) == nil)
    }

    @Test(arguments: [
        (Array(Build.address().dropLast()), NetlinkError.truncated(what: "address", offset: 7)),
        (Build.address(prefix: 33), .malformed(what: "prefix length", offset: 1)),
        (Build.address(family: 10, prefix: 129), .malformed(what: "prefix length", offset: 1)),
        (Build.address(index: 0), .malformed(what: "interface index of an address", offset: 4)),
        (Build.address(), .malformed(what: "address message without an address", offset: 0)),
        (
            Build.address(Build.attribute(IFA_ADDRESS, [UInt8](repeating: 1, count: 16))),
            .malformed(what: "attribute 1, an address", offset: 12)
        ),
        (
            Build.address(Build.attribute(IFA_LOCAL, [1, 2, 3])),
            .malformed(what: "attribute 2, an address", offset: 12)
        ),
    ])
    func `refuses what contradicts itself`(payload: [UInt8], error: NetlinkError) {
        #expect(throws: error) { try Parse.address(payload) }
    }
}
