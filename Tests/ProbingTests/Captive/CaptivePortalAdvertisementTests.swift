import Netlink
import Posix
import Testing

@testable import Probing

struct CaptivePortalAdvertisementTests {
    private static func option(_ uri: String, type: UInt8 = 37, padding: Int = 3, on index: Int32 = 7)
        -> NeighbourOption
    {
        NeighbourOption(
            interfaceIndex: index,
            type: type,
            bytes: Array(uri.utf8) + [UInt8](repeating: 0, count: padding)
        )
    }

    @Test(arguments: ["https://portal.example.org/api", "HTTPS://198.18.0.1/", "https://é.example.org/"], [0, 1, 7])
    func `takes a URI without its padding`(uri: String, padding: Int) {
        let advertisement = CaptivePortalAdvertisement(Self.option(uri, padding: padding))
        #expect(advertisement == CaptivePortalAdvertisement(interfaceIndex: 7, uri: uri))
    }

    @Test func `understands that there is no portal`() {
        let option = Self.option("urn:ietf:params:capport:unrestricted")
        #expect(CaptivePortalAdvertisement(option) == CaptivePortalAdvertisement(interfaceIndex: 7, uri: nil))
    }

    @Test(arguments: [
        "", "http://portal.example.org/", "https://", "file:///etc/passwd", "urn:ietf:params:capport", "x",
    ])
    func `ignores what is no https URI`(uri: String) {
        #expect(CaptivePortalAdvertisement(Self.option(uri)) == nil)
    }

    @Test func `ignores another option, and what is no text`() {
        #expect(CaptivePortalAdvertisement(Self.option("https://portal.example.org", type: 25)) == nil)
        let bytes = Array("https://".utf8) + [0xff, 0xfe]
        #expect(CaptivePortalAdvertisement(NeighbourOption(interfaceIndex: 7, type: 37, bytes: bytes)) == nil)
    }

    @Test func `keeps the newest of each link until the link goes down`() {
        var portals = AdvertisedPortals()
        var up = Link(index: 7, name: "eth0")
        up.flags = 0x1_0043
        var down = up
        down.flags = 0x1003
        func take(_ event: RouteEvent) -> CaptivePortalAdvertisement? { portals.take(event) }

        #expect(take(.ndUserOption(Self.option("https://a/")))?.uri == "https://a/")
        #expect(take(.ndUserOption(Self.option("https://a/"))) == nil)  // no news
        #expect(take(.ndUserOption(Self.option("https://b/", on: 8)))?.interfaceIndex == 8)
        #expect(take(.ndUserOption(Self.option("http://c/"))) == nil)  // ignored
        #expect(take(.ndUserOption(Self.option("https://d/", type: 25))) == nil)
        #expect(take(.link(up)) == nil)
        #expect(portals.uris == [7: "https://a/", 8: "https://b/"])
        #expect(take(.ndUserOption(Self.option("https://c/")))?.uri == "https://c/")
        #expect(take(.link(down)) == CaptivePortalAdvertisement(interfaceIndex: 7, uri: nil))
        #expect(take(.link(down)) == nil)
        #expect(take(.linkDeleted(index: 8)) == CaptivePortalAdvertisement(interfaceIndex: 8, uri: nil))
        #expect(portals.uris.isEmpty)
        #expect(take(.ndUserOption(Self.option("https://a/")))?.uri == "https://a/")
        #expect(take(.ndUserOption(Self.option("urn:ietf:params:capport:unrestricted")))?.uri == nil)
        #expect(portals.uris.isEmpty)
    }
}
