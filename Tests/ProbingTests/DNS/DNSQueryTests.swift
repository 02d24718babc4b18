import Lab
import Testing

@testable import Probing

struct DNSQueryTests {
    private static let encoded = bytes(
        hexadecimal:
            """
            1a2b 0100 0001 0000 0000 0001
            03777777 076578616d706c65 03636f6d 00 001c 0001
            00 0029 04d0 00000000 0000
            """
    )

    @Test func `Has one question with recursion and an EDNS payload of 1232 bytes`() throws {
        #expect(try RecordedDNS.query("www.example.com", .aaaa).encoded() == Self.encoded)
    }

    @Test func `Is preceded by its length over TCP`() throws {
        #expect(try RecordedDNS.query("www.example.com", .aaaa).encodedForStream() == [0, 44] + Self.encoded)
    }

    @Test(arguments: [(DNSProbe.RecordType.a, UInt8(1)), (.mx, 15), (.txt, 16), (.aaaa, 28)])
    func `Has the number of the type`(_ type: DNSProbe.RecordType, _ number: UInt8) throws {
        #expect(try RecordedDNS.query("a", type).encoded()[15...18] == [0, number, 0, 1])
    }
}
