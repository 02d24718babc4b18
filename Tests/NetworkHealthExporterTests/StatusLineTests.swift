import NetworkHealth
import NetworkPath
import Testing

@testable import NetworkHealthExporter

struct StatusLineTests {
    @Test(arguments: [
        (Interface.InterfaceType.wifi, "WiFi"), (.cellular, "Cellular"), (.wiredEthernet, "Ethernet"),
        (.other, "another interface"), (.loopback, "another interface"), (.unknown, "an unknown interface"),
    ])
    func `says over what it is online`(type: Interface.InterfaceType, name: String) {
        let state = HealthState.online(over: Interface(name: "dev0", index: 2, type: type))
        #expect(StatusLine.text(state) == "Online via \(name)")
    }

    @Test func `a tunnel is named with the type of what it stands on`() {
        let state = HealthState.online(over: .tunnel) { $0.underlay = .wifi }
        #expect(StatusLine.text(state) == "Online via WiFi")
    }

    @Test(arguments: [
        (Path.UnsatisfiedReason?.some(.noRoute), "Offline: no route"), (.linkDown, "Offline: link down"),
        (.policyDenied, "Offline: policy denied"), (nil, "Offline: disconnected"),
    ])
    func `says why it is offline`(reason: Path.UnsatisfiedReason?, expected: String) {
        #expect(StatusLine.text(.offline(reason)) == expected)
    }

    @Test func `the snapshot for people begins with it`() {
        let state = HealthState.online(over: .tunnel) { path in
            path.underlay = .wifi
            path.supportsIPv4 = true
            path.dnsServers = ["192.0.2.1"]
            path.gateways = ["192.0.2.1", "fe80::1%wg0"]
            path.isExpensive = true
            path.expensiveSource = .config
        }
        #expect(
            SnapshotText.text(state) == """
                Online via WiFi
                  interface:     wg0
                  quality:       good (estimated)
                  underlay:      wlan0
                  expensive:     yes (config)
                  constrained:   no (default)
                  supports:      IPv4 DNS
                  gateways:      192.0.2.1 fe80::1%wg0

                """
        )
    }
}
