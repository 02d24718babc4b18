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

/// The option of a router advertisement that names a captive portal (RFC 8910).
struct PortalAnnouncementTests {
    private static func option(_ uri: String, type: UInt8 = 37, padding: Int = 3) -> NeighbourOption {
        NeighbourOption(
            interfaceIndex: 7,
            type: type,
            bytes: Array(uri.utf8) + [UInt8](repeating: 0, count: padding)
        )
    }

    @Test(arguments: ["https://portal.example.org/api", "HTTPS://198.18.0.1/", "https://é.example.org/"], [0, 1, 7])
    func `takes a URI without its padding`(uri: String, padding: Int) {
        #expect(Self.option(uri, padding: padding).portal == .portal(uri: uri))
    }

    @Test func `reads that there is no portal`() {
        #expect(Self.option("urn:ietf:params:capport:unrestricted").portal == .unrestricted)
    }

    @Test(arguments: [
        "", "http://portal.example.org/", "https://", "file:///etc/passwd", "urn:ietf:params:capport", "x",
    ])
    func `ignores what is no https URI`(uri: String) {
        #expect(Self.option(uri).portal == nil)
    }

    @Test func `ignores another option, and what is no text`() {
        #expect(Self.option("https://portal.example.org", type: 25).portal == nil)
        let bytes = Array("https://".utf8) + [0xff, 0xfe]
        #expect(NeighbourOption(interfaceIndex: 7, type: 37, bytes: bytes).portal == nil)
    }
}
