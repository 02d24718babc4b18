import Netlink
import Posix
import Testing

struct MessageReaderTests {
    @Test func `walks messages, padding included`() throws {
        let datagram =
            Build.message(type: 16, flags: 2, sequence: 9, [1, 2, 3]) + [0]
            + Build.message(type: 24, [4])
        let messages = try Parse.messages(datagram)
        #expect(messages.map(\.message.type) == [16, 24])
        #expect(messages.map(\.payload) == [[1, 2, 3], [4]])
        #expect(messages.first?.message.flags == 2)
        #expect(messages.first?.message.sequence == 9)
    }

    @Test func `finds nothing in an empty datagram`() throws {
        #expect(try Parse.messages([]).isEmpty)
    }

    @Test(arguments: [
        ([UInt8](repeating: 0, count: 15), NetlinkError.truncated(what: "message header", offset: 0)),
        (Build.message(type: 16, length: 15), .malformed(what: "message length", offset: 0)),
        (Build.message(type: 16, length: 0), .malformed(what: "message length", offset: 0)),
        (Build.message(type: 16, length: 17), .truncated(what: "message", offset: 0)),
        (Build.message(type: 16, length: .max), .truncated(what: "message", offset: 0)),
        (Build.message(type: 16) + [1, 2, 3], .truncated(what: "message header", offset: 16)),
    ])
    func `refuses a wrong length`(datagram: [UInt8], error: NetlinkError) {
        #expect(throws: error) { try Parse.messages(datagram) }
    }
}

struct AttributeReaderTests {
    @Test func `walks attributes, padding included`() throws {
        let attributes = try Parse.attributes(
            Build.attribute(3, [1]) + Build.attribute(0x8005, []) + Build.attribute(6, [1, 2, 3, 4])
        )
        #expect(attributes.map(\.type) == [3, 5, 6])
        #expect(attributes.map(\.payload) == [4..<5, 12..<12, 16..<20])
    }

    @Test func `accepts a last attribute without its padding`() throws {
        #expect(try Parse.attributes([5, 0, 3, 0, 1]).map(\.payload) == [4..<5])
    }

    @Test(
        arguments: [
            ([4, 0, 3], NetlinkError.truncated(what: "attribute header", offset: 0)),
            ([3, 0, 3, 0], .malformed(what: "attribute length", offset: 0)),
            ([0, 0, 3, 0], .malformed(what: "attribute length", offset: 0)),
            ([6, 0, 3, 0, 1], .truncated(what: "attribute", offset: 0)),
            ([0xff, 0xff, 3, 0, 1, 2, 3, 4], .truncated(what: "attribute", offset: 0)),
            ([4, 0, 3, 0, 4, 0], .truncated(what: "attribute header", offset: 4)),
        ] as [([UInt8], NetlinkError)]
    )
    func `refuses a wrong length`(bytes: [UInt8], error: NetlinkError) {
        #expect(throws: error) { try Parse.attributes(bytes) }
    }

    @Test func `refuses a range beyond the bytes`() {
        #expect(throws: NetlinkError.truncated(what: "attribute header", offset: 0)) {
            var reader = AttributeReader(0..<64)
            _ = try reader.next(in: Build.attribute(3, [1]).span.bytes)
        }
    }
}
