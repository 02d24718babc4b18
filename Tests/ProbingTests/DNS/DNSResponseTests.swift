import Lab
import Testing

@testable import Probing

struct DNSResponseTests {
    @Test(arguments: [
        (RecordedDNS.aliased, DNSProbe.RecordType.a, 2, 0, 1), (RecordedDNS.ipv6, .aaaa, 1, 0, 0),
        (RecordedDNS.text, .txt, 1, 0, 0), (RecordedDNS.mail, .mx, 1, 0, 1),
    ])
    func `has an answer of the type`(
        _ message: [UInt8],
        _ type: DNSProbe.RecordType,
        _ answers: Int,
        _ authorities: Int,
        _ additionals: Int
    ) throws {
        let response = try DNSResponse(message, to: RecordedDNS.query("www.example.com", type))
        #expect(response.code == .noError && response.hasAnswer && !response.isTruncated)
        #expect((response.answers, response.authorities, response.additionals) == (answers, authorities, additionals))
    }

    @Test func `Distinguishes NXDOMAIN from NOERROR`() throws {
        let response = try DNSResponse(RecordedDNS.missing, to: RecordedDNS.query())
        #expect(response.code.description == "NXDOMAIN" && !response.hasAnswer)
        #expect((response.answers, response.authorities, response.additionals) == (0, 1, 1))
    }

    @Test func `Combines the response code from the header and the OPT record`() throws {
        #expect(try DNSResponse(RecordedDNS.badVersion, to: RecordedDNS.query()).code.description == "BADVERS")
    }

    @Test func `Describes codes without a name by their number`() {
        #expect(DNSResponseCode(rawValue: 0xabc).description == "RCODE 2748")
    }

    @Test func `follows CNAMEs in any order`() throws {
        var message = RecordedDNS.aliased
        // The address, and the CNAME at whose data its name points, change places.
        let alias = Array(message[33..<51])
        let address = bytes(hexadecimal: "03776562 c010 0001 0001 0000003c 0004 c6120001")
        message.replaceSubrange(33..<67, with: address + alias)
        #expect(try DNSResponse(message, to: RecordedDNS.query()).hasAnswer)
    }

    @Test(arguments: [
        // The address is of another name; the CNAME leads to itself; the address is of the class CHAOS.
        (52, UInt8(0x10)), (46, 0x77), (56, 3),
    ])
    func `Has no answer if no CNAME leads to one`(_ offset: Int, _ value: UInt8) throws {
        var message = RecordedDNS.aliased
        message[offset] = value
        if offset == 46 { message.replaceSubrange(46..<53, with: Array("www".utf8) + [0xc0, 0x10, 0xc0, 0x10]) }
        let response = try DNSResponse(message, to: RecordedDNS.query())
        #expect(response.code == .noError && response.answers == 2 && !response.hasAnswer)
    }

    @Test(arguments: [(0, UInt8(0)), (1, 0), (2, 0x01), (2, 0x91), (13, 0x78), (30, 2), (32, 3)])
    func `is foreign with another id, direction, operation, name, type or class`(_ offset: Int, _ value: UInt8) throws {
        var message = RecordedDNS.aliased
        message[offset] = value
        #expect(Self.isForeign(message, to: try RecordedDNS.query()))
    }

    @Test(arguments: [[], [0x1a]]) func `Is foreign if it is too short for an id`(_ message: [UInt8]) throws {
        #expect(throws: DNSMessageError.foreign("a message without an id")) {
            try DNSResponse(message, to: RecordedDNS.query())
        }
        #expect(Self.isForeign([0, 0, 0], to: try RecordedDNS.query()))
    }

    @Test func `May omit the question if the server could not read it`() throws {
        let failed = bytes(hexadecimal: "1a2b 8181 0000 0000 0000 0000")
        #expect(try DNSResponse(failed, to: RecordedDNS.query()).code.description == "FORMERR")
        let fine = bytes(hexadecimal: "1a2b 8180 0000 0000 0000 0000")
        #expect(Self.isForeign(fine, to: try RecordedDNS.query()))
    }

    @Test func `is not read past its question when truncated`() throws {
        var message = Array(RecordedDNS.aliased[..<40])
        message[2] |= 0x02
        let response = try DNSResponse(message, to: RecordedDNS.query())
        #expect(response.isTruncated && response.answers == 2 && !response.hasAnswer)
    }

    @Test func `Is refused if it is truncated at any byte`() throws {
        let query = try RecordedDNS.query()
        for length in 2..<RecordedDNS.aliased.count {
            #expect(throws: DNSMessageError.self, "\(length)") {
                try DNSResponse(Array(RecordedDNS.aliased[..<length]), to: query)
            }
        }
    }

    @Test(arguments: [
        // A pointer forwards, one to itself, a chain of two that closes, a label of a reserved type.
        "c020", "c00c", "0161c00c", "40", "80",
    ])
    func `refuses a name that leads nowhere`(_ name: String) throws {
        let message = bytes(hexadecimal: "1a2b 8180 0001 0000 0000 0000 \(name) 0001 0001")
        #expect(throws: DNSMessageError.self) { try DNSResponse(message, to: RecordedDNS.query()) }
        #expect(!Self.isForeign(message, to: try RecordedDNS.query()))
    }

    @Test func `refuses a name of more than 255 bytes`() throws {
        let label = "3f" + String(repeating: "61", count: 63)
        let message = bytes(hexadecimal: "1a2b 8180 0001 0000 0000 0000 \(label + label + label + label) 00 0001 0001")
        #expect(throws: DNSMessageError.malformed("name, too long,", offset: 204)) {
            try DNSResponse(message, to: RecordedDNS.query())
        }
    }

    @Test func `refuses a chain of more than 127 pointers`() throws {
        // A record whose data are pointers, each to the one before; the next record's name is the last of them.
        let head = Array(RecordedDNS.ipv6[..<33])
        func message(_ count: Int) -> [UInt8] {
            let data = (0..<count).flatMap { index in
                let target = index == 0 ? 12 : 33 + 11 + 2 * (index - 1) + 1 - 1
                return [0xc0 | UInt8(target >> 8), UInt8(target & 0xff)]
            }
            let first = [0, 0, 99, 0, 1, 0, 0, 0, 0, UInt8(2 * count >> 8), UInt8(2 * count & 0xff)] + data
            let last = 33 + 11 + 2 * (count - 1)
            let second: [UInt8] =
                [0xc0 | UInt8(last >> 8), UInt8(last & 0xff)] + [0, 28, 0, 1, 0, 0, 0, 0, 0, 16]
                + Array(repeating: 0, count: 16)
            var message = head + first + second
            message[7] = 2
            return message
        }
        let query = try RecordedDNS.query("www.example.com", .aaaa)
        #expect(try DNSResponse(message(126), to: query).hasAnswer)
        #expect(throws: DNSMessageError.self) { try DNSResponse(message(127), to: query) }
    }

    @Test(arguments: [
        "0001 0001 00000000 0003 010203", "001c 0001 00000000 0004 01020304", "0010 0001 00000000 0000",
        "0010 0001 00000000 0003 05 6161", "000f 0001 00000000 0002 000a", "000f 0001 00000000 0006 000a 0161 00 00",
        "0005 0001 00000000 0003 c00c 00", "0005 0001 00000000 0001 c00c",
    ])
    func `refuses data that the type does not allow`(_ record: String) throws {
        let message = Array(RecordedDNS.aliased[..<33]) + [0xc0, 0x0c] + bytes(hexadecimal: record)
        var single = message
        single[7] = 1
        single[11] = 0
        #expect(throws: DNSMessageError.self) { try DNSResponse(single, to: RecordedDNS.query()) }
    }

    @Test func `refuses a second OPT record`() throws {
        var message = RecordedDNS.badVersion + RecordedDNS.badVersion.suffix(11)
        message[11] = 2
        #expect(throws: DNSMessageError.malformed("second OPT record", offset: 44)) {
            try DNSResponse(message, to: RecordedDNS.query())
        }
    }

    private static func isForeign(_ message: [UInt8], to query: DNSQuery) -> Bool {
        do throws(DNSMessageError) {
            _ = try DNSResponse(message, to: query)
        } catch .foreign {
            return true
        } catch {}
        return false
    }

    @Test(.timeLimit(.minutes(3))) func `A message of 64 KiB of pointers is parsed quickly`() {
        // A name at the start, then records whose names are chains of pointers as long as is allowed.
        var message = bytes(hexadecimal: "1a2b 8180 0001 ffff ffff ffff 0161 00 0001 0001")
        while message.count < 2000 {
            let target = message.count > 19 ? message.count - 2 : 12
            message += [0xc0 | UInt8(target >> 8), UInt8(target & 0xff)]
        }
        let record: [UInt8] = [0xc0 | UInt8(268 >> 8), UInt8(268 & 0xff), 0, 99, 0, 1, 0, 0, 0, 0, 0, 0]
        while message.count < 65_000 { message += record }
        let isAccepted = fuzzDNS(message.span.bytes)
        #expect(!isAccepted)
    }
}
