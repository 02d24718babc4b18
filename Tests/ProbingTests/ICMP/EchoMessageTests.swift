import Posix
import Testing

@testable import Probing

struct EchoMessageTests {
    private let message = EchoMessage(identifier: 0x1234, sequence: 0xfffe, token: 0x0102_0304_0506_0708)
    private let ipHeader: [UInt8] = [0x45] + [UInt8](repeating: 0, count: 19)

    @Test func `An ICMP request is an echo with a checksum that adds up to 0`() {
        let bytes = message.request(.ipv4)
        #expect(bytes.prefix(2) == [8, 0])
        #expect(bytes[4...] == [0x12, 0x34, 0xff, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(EchoMessage.checksum(bytes.span.bytes) == 0)
    }

    @Test func `an ICMPv6 request leaves the checksum to the kernel`() {
        #expect(message.request(.ipv6).prefix(4) == [128, 0, 0, 0])
    }

    @Test func `the checksum carries around`() {
        // 0xffff + 0x0001 + 0xff00 carries twice.
        let bytes: [UInt8] = [0xff, 0xff, 0, 1, 0xff, 0]
        #expect(EchoMessage.checksum(bytes.span.bytes) == 0x00fe)
    }

    @Test(arguments: [(AddressFamily.ipv4, UInt8(0)), (.ipv6, 129)])
    func `A reply has the fields of the request`(family: AddressFamily, type: UInt8) throws {
        var bytes = message.request(family)
        bytes[0] = type
        #expect(try EchoMessage(reply: bytes.span.bytes, family: family, hasIPHeader: false) == message)
    }

    @Test(arguments: [17, 100, 1472])
    func `a padded request has that length, and its checksum adds up to 0`(length: Int) throws {
        var padded = message
        padded.length = length
        var bytes = padded.request(.ipv4)
        #expect(bytes.count == length && bytes.prefix(2) == [8, 0])
        #expect(EchoMessage.checksum(bytes.span.bytes) == 0)
        bytes[0] = 0
        #expect(try EchoMessage(reply: bytes.span.bytes, family: .ipv4, hasIPHeader: false) == padded)
        let received = ipHeader + bytes
        #expect(try EchoMessage(reply: received.span.bytes, family: .ipv4, hasIPHeader: true) == padded)
    }

    @Test func `The reply of a raw socket follows a header of any length`() throws {
        var bytes = message.request(.ipv4)
        bytes[0] = 0
        let plain = ipHeader + bytes
        #expect(try EchoMessage(reply: plain.span.bytes, family: .ipv4, hasIPHeader: true) == message)
        let withOptions = [0x47] + ipHeader.dropFirst() + [UInt8](repeating: 1, count: 8) + bytes
        #expect(try EchoMessage(reply: withOptions.span.bytes, family: .ipv4, hasIPHeader: true) == message)
    }

    @Test func `Messages that are not replies are refused`() {
        let request = message.request(.ipv4)
        #expect(throws: EchoError.otherType) {
            try EchoMessage(reply: request.span.bytes, family: .ipv4, hasIPHeader: false)
        }
        var reply = request
        reply[0] = 0
        for length in 0..<reply.count {
            let cut = Array(reply[..<length])
            #expect(throws: EchoError.truncated) {
                try EchoMessage(reply: cut.span.bytes, family: .ipv4, hasIPHeader: false)
            }
        }
        let six = [0x65] + ipHeader.dropFirst() + reply
        #expect(throws: EchoError.notIPv4) { try EchoMessage(reply: six.span.bytes, family: .ipv4, hasIPHeader: true) }
        let short = [0x44] + ipHeader.dropFirst() + reply
        #expect(throws: EchoError.notIPv4) {
            try EchoMessage(reply: short.span.bytes, family: .ipv4, hasIPHeader: true)
        }
        let long = [0x4f] + ipHeader.dropFirst() + reply
        #expect(throws: EchoError.truncated) {
            try EchoMessage(reply: long.span.bytes, family: .ipv4, hasIPHeader: true)
        }
    }

    @Test func `Eight quoted bytes identify a request`() throws {
        let quoted = Array(message.request(.ipv6).prefix(8))
        let echo = try QuotedEcho(parsing: quoted.span.bytes, family: .ipv6)
        #expect(echo.identifier == 0x1234 && echo.sequence == 0xfffe)
        #expect(throws: EchoError.otherType) { try QuotedEcho(parsing: quoted.span.bytes, family: .ipv4) }
        let cut = Array(quoted.prefix(7))
        #expect(throws: EchoError.truncated) { try QuotedEcho(parsing: cut.span.bytes, family: .ipv6) }
    }
}
