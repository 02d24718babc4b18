import CLinux
import Lab
import Netlink
import Posix
import Testing

struct NeighbourOptionTests {
    @Test func `reads recorded announcements`() throws {
        let options = try RecordedNetlink.options.datagrams().flatMap { try Parse.messages($0) }
            .map { try Parse.option($0.payload) }
        #expect(options.map(\.?.interfaceIndex) == [12, 12, 12])
        #expect(options.map(\.?.type) == [3, 25, 37])
        #expect(options.map(\.?.bytes.count) == [30, 22, 30])
        let uri = try #require(options[2]).bytes
        #expect(String(decoding: uri, as: UTF8.self) == "https://portal.example.org/api")
    }

    @Test(arguments: [
        (Array(Build.option([]).dropLast()), NetlinkError.truncated(what: "ND user option", offset: 15)),
        (Build.option([]), .truncated(what: "ND user option", offset: 16)),
        (Build.option([37]), .truncated(what: "ND user option", offset: 17)),
        (
            Build.option(index: 0, [37, 1, 0, 0, 0, 0, 0, 0]),
            .malformed(what: "interface index of an ND user option", offset: 4)
        ),
        (Build.option([37, 0, 0, 0, 0, 0, 0, 0]), .malformed(what: "length of an ND user option", offset: 17)),
        // Longer than the options are said to be, and longer than the message.
        (Build.option([37, 2, 0, 0, 0, 0, 0, 0]), .malformed(what: "length of an ND user option", offset: 17)),
        (Build.option(room: 16, [37, 2, 0, 0, 0, 0, 0, 0]), .truncated(what: "ND user option", offset: 18)),
    ])
    func `refuses what contradicts itself`(payload: [UInt8], error: NetlinkError) {
        #expect(throws: error) { try Parse.option(payload) }
    }
}
