import Netlink
import Posix
import Testing

@testable import NetworkPath

/// One row of the table of types.
struct ClassRow: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var link: Link
    var facts: DeviceFacts?
    var device: NetworkManagerFacts.Device?
    var expected: InterfaceClass

    init(
        _ description: String,
        _ link: Link,
        _ facts: DeviceFacts? = .virtual,
        manager: UInt32? = nil,
        _ type: Interface.InterfaceType?,
        virtual: Bool = false,
        tunnel: Bool = false,
        tether: Bool = false
    ) {
        testDescription = description
        self.link = link
        self.facts = facts
        device = manager.map { .make(type: $0) }
        expected = InterfaceClass(type: type, isVirtual: virtual, isTunnel: tunnel, isTether: tether)
    }

    static let table: [ClassRow] = [
        ClassRow("loopback", .loopback, nil, .loopback),
        ClassRow("kind wwan", .make(2, "wwan0", kind: "wwan", hardware: 65534), nil, .cellular),
        ClassRow("DEVTYPE wwan", .make(2, "wwp0s20u4", hardware: 65534), .modem, .cellular),
        ClassRow("raw IP", .make(2, "x", hardware: 519), nil, .cellular),
        ClassRow("raw IP 530", .make(2, "x", hardware: 530), nil, .cellular),
        ClassRow("rmnet", .make(2, "rmnet_data0"), .ethernet, .cellular),
        ClassRow("rev_rmnet", .make(2, "rev_rmnet0"), .ethernet, .cellular),
        ClassRow("ccmni", .make(2, "ccmni1"), nil, .cellular),
        ClassRow("a modem of NetworkManager", .make(2, "usb0"), .ethernet, manager: 8, .cellular),
        ClassRow(
            "ppp owned by a modem",
            .make(2, "ppp0", kind: "ppp", hardware: 512),
            .virtual,
            manager: 8,
            .cellular
        ),
        ClassRow(
            "Wi-Fi by DEVTYPE is ARPHRD_ETHER and yet Wi-Fi",
            .make(2, "wlan0"),
            .make(type: "wlan", device: true),
            .wifi
        ),
        ClassRow("Wi-Fi by phy80211 alone", .make(2, "eth1"), .make(wireless: true, device: true), .wifi),
        ClassRow("Wi-Fi of NetworkManager, without sysfs", .make(2, "wlan0"), nil, manager: 2, .wifi),
        ClassRow("iPhone", .make(2, "eth1"), .make(driver: "ipheth", vendor: 0x05ac), .wiredEthernet, tether: true),
        ClassRow(
            "Android by RNDIS",
            .make(2, "usb0"),
            .make(type: "gadget", driver: "rndis_host", vendor: 0x18d1),
            .wiredEthernet,
            tether: true
        ),
        ClassRow(
            "Samsung by NCM",
            .make(2, "usb0"),
            .make(driver: "cdc_ncm", vendor: 0x04e8),
            .wiredEthernet,
            tether: true
        ),
        ClassRow("a dock by NCM", .make(2, "enx0"), .make(driver: "cdc_ncm", vendor: 0x17ef), .wiredEthernet),
        ClassRow(
            "a phone vendor's Ethernet adapter",
            .make(2, "enx0"),
            .make(driver: "r8152", vendor: 0x04e8),
            .wiredEthernet
        ),
        ClassRow("Bluetooth PAN", .make(2, "bnep0"), .make(type: "bluetooth", device: true), .other, tether: true),
        ClassRow("Bluetooth of NetworkManager", .make(2, "bnep0"), .ethernet, manager: 5, .other, tether: true),
        ClassRow(
            "6lowpan over Bluetooth",
            .make(2, "bt0", hardware: 825),
            .make(type: "bluetooth"),
            .other,
            virtual: true
        ),
        ClassRow("no kind, type none", .make(2, "utun", hardware: 65534), nil, .other, virtual: true, tunnel: true),
        ClassRow("tap", .make(2, "tap0", kind: "tun"), nil, .other, virtual: true, tunnel: true),
        ClassRow("infiniband", .make(2, "ib0", hardware: 32), .ethernet, .other),
        ClassRow("dummy", .make(2, "dummy0", kind: "dummy"), .virtual, .other, virtual: true),
        ClassRow("ifb without sysfs", .make(2, "ifb0", kind: "ifb"), nil, .other, virtual: true),
        ClassRow("Ethernet hardware", .make(2, "eth0"), .ethernet, .wiredEthernet),
        ClassRow("Ethernet without a device", .make(2, "eth0"), .virtual, .wiredEthernet),
        ClassRow("gadget", .make(2, "usb0"), .make(type: "gadget"), .wiredEthernet),
        ClassRow("switch port", .make(2, "lan1", kind: "dsa"), .make(type: "dsa"), .wiredEthernet),
        ClassRow("a strange DEVTYPE", .make(2, "x0"), .make(type: "strange"), .other, virtual: true),
        ClassRow("not readable", .make(2, "eth0"), DeviceFacts(), .unknown),
        ClassRow("not read", .make(2, "eth0"), nil, .unknown),
    ]
}

struct InterfaceClassifierTests {
    @Test(arguments: ClassRow.table)
    func `a device is classified by the first condition that holds`(row: ClassRow) {
        #expect(InterfaceClassifier.classify(row.link, facts: row.facts, device: row.device) == row.expected)
    }

    @Test(arguments: [
        "wireguard", "tun", "ppp", "gre", "gretap", "ip6gre", "ipip", "sit", "vti", "vti6", "xfrm", "ip6tnl",
    ])
    func `a tunnel is other`(kind: String) {
        let nature = InterfaceClassifier.classify(.make(2, "t0", kind: kind, hardware: 65534), facts: nil, device: nil)
        #expect(nature == InterfaceClass(type: .other, isVirtual: true, isTunnel: true))
    }

    @Test(arguments: ["vlan", "bond", "team", "bridge", "macvlan", "ipvlan", "macsec", "vrf"])
    func `a stacked device has no type of its own`(kind: String) {
        let nature = InterfaceClassifier.classify(.make(2, "s0", kind: kind), facts: .virtual, device: nil)
        #expect(nature == InterfaceClass(type: nil, isVirtual: true))
    }

    @Test(arguments: ["veth", "netkit"])
    func `a virtual cable is Ethernet, also without sysfs`(kind: String) {
        let nature = InterfaceClassifier.classify(.make(2, "eth0", kind: kind), facts: nil, device: nil)
        #expect(nature == InterfaceClass(type: .wiredEthernet, isVirtual: true))
    }
}
