import NetworkPath
import Posix
import Probing
import Testing

@testable import NetworkHealth

/// Uplinks that are recognised by what may be unknown, and change without the host's route.
struct UplinkRecognitionTests {
    private typealias Scene = UplinkScene

    private static func wifi(_ ssid: String?, isUsable: Bool = true) -> WayOut {
        WayOut(
            interface: Interface(name: "wlan0", index: 7, type: .wifi),
            routers: [.ipv4: IPAddress("192.0.7.1")],
            isUsable: isUsable,
            ssid: ssid,
            access: .bound([.ipv4: nil])
        )
    }

    private static func rule(_ name: String, ssid: String? = nil, address: String? = nil) throws -> UplinkRule {
        var rule = UplinkRule(name)
        rule.match.ssid = ssid
        if let address {
            let range = try #require(AddressRange(address))
            rule.match.publicAddress = range
        }
        return rule
    }

    private func answer(
        _ scene: inout Scene,
        _ addresses: String...,
        of family: AddressFamily = .ipv4,
        at second: Double
    )
        throws
    {
        let uplink = try #require(Uplink(scene.health.path))
        let networks = try Set(addresses.map { try #require(IPAddress($0)) })
        _ = scene.board.take(networks, of: family, over: uplink, at: Scene.at(second))
        scene.update(at: second)
    }

    private func nameInUse(_ scene: Scene) -> String? {
        scene.board.reports(at: Scene.at(scene.now)).first { $0.isPrimary }?.name
    }

    @Test func `the network names the Wi-Fi uplink, and another one behind the same router is a switch`() throws {
        let rules = try [Self.rule("home", ssid: "Example*"), Self.rule("office", ssid: "work")]
        var scene = Scene([Self.wifi("Example 5G"), Scene.way(0)], rules: rules)
        scene.update(at: 0)
        #expect(nameInUse(scene) == "home")
        #expect(scene.report("office")?.obstacle == .absent)
        scene.ways[0].ssid = "work"
        scene.update(at: 10)
        #expect(nameInUse(scene) == "office")
        #expect(scene.events.map(\.kind) == [.switched(from: "home")] && scene.report("office")?.switches == 1)
        #expect(scene.report("wlan0") == nil)
        scene.ways[0].ssid = "hotel"
        scene.update(at: 20)
        #expect(nameInUse(scene) == "wlan0")
    }

    @Test func `a network that the driver does not report is no match, and no outage of the one that is named`() throws
    {
        var scene = Scene([Self.wifi(nil), Scene.way(0)], rules: [try Self.rule("home", ssid: "*")])
        scene.update(at: 0)
        scene.pass(to: 30) { _ in .answered }
        scene.update(at: 30)
        #expect(nameInUse(scene) == "wlan0")
        #expect(scene.report("home")?.obstacle == .unrecognized && scene.report("home")?.isOnline == nil)
        #expect(scene.report("home")?.outages == 0)
        // A cable is in no network.
        scene.ways.remove(at: 0)
        scene.update(at: 40)
        scene.update(at: 42)
        #expect(scene.report("home")?.obstacle == .absent && scene.report("home")?.isOnline == false)
    }

    @Test func `a device is not the uplink of a rule that has its name and does not match it`() throws {
        var scene = Scene([Self.wifi("hotel"), Scene.way(0)], rules: [try Self.rule("wlan0", ssid: "Example")])
        scene.update(at: 0)
        #expect(nameInUse(scene) == "wlan0 192.0.7.1")
        #expect(scene.report("wlan0")?.obstacle == .absent && scene.report("wlan0")?.device == nil)
        scene.ways[0].ssid = "Example"
        scene.update(at: 10)
        #expect(nameInUse(scene) == "wlan0" && scene.report("wlan0")?.switches == 1)
    }

    @Test func `a device has the name of a rule until it is known not to match, and makes no second uplink`() throws {
        var scene = Scene([Scene.way(0)], rules: [try Self.rule("eth0", address: "198.51.100.0/24")])
        scene.update(at: 0)
        #expect(nameInUse(scene) == "eth0" && scene.report("eth0")?.obstacle == nil)
        try answer(&scene, "198.51.100.9", at: 1)
        #expect(nameInUse(scene) == "eth0")
        try answer(&scene, at: 2)
        #expect(nameInUse(scene) == "eth0" && scene.board.reports(at: Scene.at(2)).count == 1)
        try answer(&scene, "203.0.113.7", at: 3)
        #expect(nameInUse(scene) == "eth0 192.0.0.1" && scene.report("eth0")?.obstacle == .absent)
        #expect(scene.report("eth0 192.0.0.1")?.switches == 0)
        var wireless = Scene([Self.wifi(nil)], rules: [try Self.rule("wlan0", ssid: "Example")])
        wireless.update(at: 0)
        wireless.ways[0].ssid = "Example"
        wireless.update(at: 1)
        #expect(wireless.board.reports(at: Scene.at(1)).map(\.name) == ["wlan0"] && nameInUse(wireless) == "wlan0")
    }

    @Test func `a device without the address of a router is shown beside a rule that has its name`() throws {
        var scene = Scene([Scene.way(0, tunnel: true)], rules: [try Self.rule("wg0", address: "198.51.100.0/24")])
        scene.update(at: 0)
        #expect(nameInUse(scene) == "wg0")
        try answer(&scene, "203.0.113.7", at: 1)
        #expect(nameInUse(scene) == "wg0 (other)" && scene.report("wg0")?.obstacle == .absent)
        try answer(&scene, "198.51.100.9", at: 2)
        #expect(nameInUse(scene) == "wg0" && scene.report("wg0")?.switches == 0)
    }

    @Test func `a Wi-Fi link that is down keeps the name of its network`() throws {
        var scene = Scene([Self.wifi("Example"), Scene.way(0)], rules: [try Self.rule("home", ssid: "Example")])
        scene.update(at: 0)
        scene.ways[0] = Self.wifi(nil, isUsable: false)
        scene.used = 1
        scene.switchPath(at: 10)
        scene.update(at: 12)
        #expect(scene.report("home")?.device == "wlan0" && scene.report("home")?.cause == .link)
        #expect(scene.report("wlan0") == nil)
    }

    @Test func `the public address names the uplink in use, and a switch inside the router changes the name`() throws {
        let rules = try [Self.rule("fibre", address: "198.51.100.0/24"), Self.rule("lte", address: "203.0.113.7/32")]
        var scene = Scene([Scene.way(0)], rules: rules)
        scene.update(at: 0)
        #expect(nameInUse(scene) == "eth0")
        #expect(scene.report("fibre")?.obstacle == .unrecognized && scene.report("fibre")?.isOnline == nil)
        try answer(&scene, "198.51.100.9", at: 1)
        #expect(nameInUse(scene) == "fibre" && scene.events.isEmpty)
        // It is in use alone, so that the other one is not.
        #expect(scene.report("lte")?.obstacle == .absent)
        try answer(&scene, "203.0.113.7", at: 100)
        #expect(nameInUse(scene) == "lte" && scene.report("fibre")?.isActive == false)
        let events = scene.board.take(InsideSwitches.Sign(.address, .ipv4), at: Scene.at(100))
        #expect(events == [UplinkEvent(.switchedInside(.address), "lte", at: Scene.at(100))])
        #expect(scene.report("lte")?.switches == 0)
        // Both lines share the traffic.
        try answer(&scene, "203.0.113.7", "198.51.100.9", at: 200)
        #expect(nameInUse(scene) == "eth0" && scene.report("lte")?.obstacle == .unrecognized)
        #expect(scene.report("fibre")?.obstacle == .unrecognized)
    }

    @Test func `a sign of a switch before the other name is the same switch`() throws {
        let rules = try [Self.rule("fibre", address: "198.51.100.0/24"), Self.rule("lte", address: "203.0.113.7/32")]
        var scene = Scene([Scene.way(0)], rules: rules)
        scene.update(at: 0)
        try answer(&scene, "198.51.100.9", at: 1)
        #expect(scene.board.take(InsideSwitches.Sign(.hop, .ipv4), at: Scene.at(90)).count == 1)
        try answer(&scene, "203.0.113.7", at: 100)
        #expect(scene.board.take(InsideSwitches.Sign(.address, .ipv4), at: Scene.at(100)).isEmpty)
    }

    @Test func `a public address is known of the way that it was answered over, while it is in use`() throws {
        var scene = Scene([Scene.way(0), Scene.way(1)], rules: [try Self.rule("fibre", address: "198.51.100.0/24")])
        scene.update(at: 0)
        try answer(&scene, "198.51.100.9", at: 1)
        #expect(scene.report("fibre")?.device == "eth0")
        scene.used = 1
        scene.switchPath(at: 10)
        scene.update(at: 20)
        #expect(scene.report("fibre")?.obstacle == .unrecognized && scene.report("fibre")?.isOnline == nil)
        #expect(nameInUse(scene) == "eth1" && scene.report("eth0")?.device == "eth0")
        scene.used = 0
        scene.switchPath(at: 30)
        scene.update(at: 31)
        #expect(nameInUse(scene) == "eth0", "it has not been asked since")
        // What was answered over the other one in the meantime.
        var other = scene
        other.used = 1
        let uplink = try #require(Uplink(other.health.path))
        let address = try #require(IPAddress("198.51.100.9"))
        #expect(scene.board.take([address], of: .ipv4, over: uplink, at: Scene.at(32)).isEmpty)
        #expect(nameInUse(scene) == "eth0")
        try answer(&scene, "198.51.100.9", at: 33)
        #expect(nameInUse(scene) == "fibre")
        try answer(&scene, at: 40)
        #expect(nameInUse(scene) == "eth0", "not known any more")
    }

    @Test func `of an IPv6 address the first 64 bits count, and an address of one family is not that of the other`()
        throws
    {
        let rules = [try Self.rule("fibre", address: "2001:db8:1:2:3:4:5:6/128")]
        var scene = Scene([Scene.way(0)], rules: rules)
        scene.update(at: 0)
        try answer(&scene, "198.51.100.9", at: 1)
        #expect(scene.report("fibre")?.obstacle == .unrecognized)
        try answer(&scene, "2001:db8:1:3::", of: .ipv6, at: 2)
        #expect(scene.report("fibre")?.obstacle == .absent)
        try answer(&scene, "2001:db8:1:2::", of: .ipv6, at: 3)
        #expect(nameInUse(scene) == "fibre")
    }

    @Test func `without a way out the uplink of a public address is offline`() throws {
        var scene = Scene([Scene.way(0)], rules: [try Self.rule("fibre", address: "198.51.100.0/24")])
        scene.update(at: 0)
        try answer(&scene, "198.51.100.9", at: 1)
        scene.ways[0].isUsable = false
        scene.used = nil
        scene.switchPath(at: 10)
        scene.update(at: 12)
        #expect(scene.report("fibre")?.isOnline == false && scene.report("fibre")?.outages == 1)
    }

    @Test func `a rule needs everything that it names, and a measurement has no network`() throws {
        var rule = try Self.rule("home", ssid: "Example")
        rule.match.interface = "wlan*"
        #expect(rule.matches(Self.wifi("Example"), nil) == true)
        #expect(rule.matches(Self.wifi("example"), nil) == false)
        #expect(rule.matches(Self.wifi(nil), nil) == nil)
        rule.match.interface = "wlp*"
        #expect(rule.matches(Self.wifi(nil), nil) == false)
        let uplink = try #require(Uplink(name: "wlan0 192.0.7.1"))
        rule.match.interface = "wlan*"
        #expect(!rule.matches(uplink))
    }
}
