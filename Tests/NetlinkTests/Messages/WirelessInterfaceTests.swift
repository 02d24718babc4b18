import Lab
import Netlink
import Testing

struct WirelessInterfaceTests {
    private static func interface(kind: UInt32 = 2, _ ssid: [UInt8]?) -> [UInt8] {
        let attributes = Build.attribute(5, Build.integer(kind)) + (ssid.map { Build.attribute(52, $0) } ?? [])
        return Build.generic(command: 7, attributes)
    }

    @Test func `reads whether it is a client, and its network`() throws {
        let interface = try Parse.wireless(Self.interface(Array("Café 5G".utf8)))
        #expect(interface.isClient && interface.network == "Café 5G")
        let point = try Parse.wireless(Self.interface(kind: 3, Array("x".utf8)))
        #expect(!point.isClient && point.network == "x")
        let recorded = try #require(try Parse.messages(RecordedNetlink.generic.datagrams()[5]).first)
        #expect(try Parse.wireless(recorded.payload).network?.hasPrefix("example") == true)
    }

    @Test func `without a network, in a hidden one and with a name that is too long there is none`() throws {
        for ssid in [nil, [], [0, 0, 0], [UInt8](repeating: 0x61, count: 33)] as [[UInt8]?] {
            #expect(try Parse.wireless(Self.interface(ssid)).network == nil)
        }
        #expect(try Parse.wireless(Self.interface([0x61, 0xff])).network == "a\u{fffd}")
        #expect(throws: NetlinkError.truncated(what: "wireless interface", offset: 3)) {
            try Parse.wireless([7, 1, 0])
        }
    }
}
