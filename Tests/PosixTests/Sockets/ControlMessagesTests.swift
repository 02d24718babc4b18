import Testing

@testable import Posix

struct ControlMessagesTests {
    private func message(level: Int32, type: Int32, _ data: [UInt8], length: UInt? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        withUnsafeBytes(of: length ?? UInt(16 + data.count)) { bytes += $0 }
        withUnsafeBytes(of: level) { bytes += $0 }
        withUnsafeBytes(of: type) { bytes += $0 }
        bytes += data
        while bytes.count % 8 != 0 { bytes.append(0) }
        return bytes
    }

    private func stamp(_ seconds: Int64, _ nanoseconds: Int64) -> [UInt8] {
        var data: [UInt8] = []
        withUnsafeBytes(of: (seconds, nanoseconds)) { data += $0 }
        return message(level: 1, type: 37, data + [UInt8](repeating: 0, count: 32))
    }

    private func parse(_ bytes: [UInt8]) -> ControlMessages { ControlMessages(parsing: bytes.span.bytes) }

    @Test func `a stamp of what was sent has its number beside it`() {
        let error: [UInt8] = [42, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 7, 1, 0, 0]
        let notes = parse(stamp(1_700_000_000, 5) + message(level: 0, type: 11, error + [9, 9, 9]))
        #expect(notes.timestamp == .seconds(1_700_000_000) + .nanoseconds(5))
        #expect(notes.error?.origin == .timestamp)
        #expect(notes.error?.key == 0x107)
    }

    @Test(arguments: [(Int32(0), Int32(11), UInt8(2)), (41, 25, 3)])
    func `an ICMP error has the errno that stands for it`(level: Int32, type: Int32, origin: UInt8) {
        let error: [UInt8] = [113, 0, 0, 0, origin, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let notes = parse(message(level: level, type: type, error))
        #expect(notes.error?.origin == .icmp)
        #expect(notes.error?.code == 113)
    }

    @Test func `an ICMP error has its sender, its type and its code`() throws {
        let error: [UInt8] = [113, 0, 0, 0, 2, 3, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let sender: [UInt8] = [2, 0, 0, 0, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0]
        let notes = parse(message(level: 0, type: 11, error + sender))
        #expect(notes.error?.sender == IPAddress("192.0.2.1"))
        #expect(notes.error?.icmpType == 3 && notes.error?.icmpCode == 13)
        for cut in 0..<sender.count {
            #expect(parse(message(level: 0, type: 11, error + sender[..<cut])).error?.sender == nil)
        }
        let place = SocketAddress(try #require(IPAddress("203.0.113.9")), port: 443)
        #expect(RouterError(notes, destination: place)?.destination == place)
        #expect(RouterError(notes, destination: nil) == nil)
        #expect(RouterError(parse(stamp(1, 1)), destination: place) == nil)
    }

    @Test func `A message has the address of this host that it was sent to`() throws {
        let address = try #require(IPAddress("2001:db8::7"))
        #expect(
            parse(message(level: 0, type: 8, [1, 0, 0, 0, 9, 9, 9, 9, 192, 0, 2, 7])).destination
                == IPAddress("192.0.2.7")
        )
        #expect(parse(message(level: 41, type: 50, address.bytes + [1, 0, 0, 0])).destination == address)
        #expect(parse(message(level: 0, type: 8, [1, 0, 0, 0, 192, 0, 2])).destination == nil)
        #expect(parse(message(level: 41, type: 50, Array(address.bytes.dropLast()))).destination == nil)
    }

    @Test(arguments: [(Int32(0), Int32(2)), (41, 52)])
    func `The hop limit is a number of one byte`(level: Int32, type: Int32) {
        #expect(parse(message(level: level, type: type, [61, 0, 0, 0])).hopLimit == 61)
        #expect(parse(message(level: level, type: type, [0, 0, 0, 0])).hopLimit == 0)
        for data: [UInt8] in [[], [61], [0, 1, 0, 0], [255, 255, 255, 255]] {
            #expect(parse(message(level: level, type: type, data)).hopLimit == nil)
        }
    }

    @Test func `a stamp that is none is not believed`() {
        #expect(parse(stamp(0, 0)).timestamp == nil)
        #expect(parse(stamp(-1, 0)).timestamp == nil)
        #expect(parse(stamp(1, 1_000_000_000)).timestamp == nil)
        #expect(parse(message(level: 1, type: 37, [1, 2, 3])).timestamp == nil)
    }

    @Test func `a length that does not fit ends the reading`() {
        for length in [0, 15, 1000, UInt.max, UInt.max - 6] {
            let notes = parse(message(level: 7, type: 7, [], length: length) + stamp(1, 1))
            #expect(notes == parse([]))
        }
    }

    @Test func `an unknown message is passed over`() {
        #expect(parse(message(level: 7, type: 7, [1]) + stamp(1, 1)).timestamp == .seconds(1) + .nanoseconds(1))
    }
}
