import Netlink
import Posix

/// Determines what a device is: the first condition that holds decides.
///
/// The order matters: most devices are ARPHRD_ETHER, Wi-Fi included, so Ethernet comes late.
enum InterfaceClassifier {
    static let stacked: Set<String> = [
        "vlan", "bond", "team", "bridge", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec", "vrf",
    ]
    static let cables: Set<String> = ["veth", "netkit"]
    static let tunnels: Set<String> = [
        "wireguard", "tun", "ppp", "gre", "gretap", "ip6gre", "ip6gretap", "erspan", "ip6erspan", "ipip", "sit", "vti",
        "vti6", "xfrm", "ip6tnl", "vxlan", "geneve",
    ]
    private static let modemNames = ["rmnet", "rev_rmnet", "ccmni"]
    /// USB vendors of phones: Apple, Google, Samsung, Huawei, ZTE, Xiaomi, Motorola, HTC, LG, Sony, OnePlus, OPPO, Nokia.
    private static let phoneVendors: Set<UInt16> = [
        0x05ac, 0x18d1, 0x04e8, 0x12d1, 0x19d2, 0x2717, 0x22b8, 0x0bb4, 0x1004, 0x0fce, 0x2a70, 0x22d9, 0x0421,
    ]

    static func classify(
        _ link: Link,
        facts: DeviceFacts?,
        device: NetworkManagerFacts.Device?
    ) -> InterfaceClass {
        let facts = facts ?? DeviceFacts()
        let kind = link.kind ?? ""
        let isEthernet = link.hardwareType == HardwareType.ethernet
        if link.isLoopback { return InterfaceClass(type: .loopback) }
        if isModem(link, facts, device) { return InterfaceClass(type: .cellular) }
        if facts.isWireless || facts.deviceType == "wlan" || device?.type == DeviceType.wifi {
            return InterfaceClass(type: .wifi)
        }
        if isPhone(facts) { return InterfaceClass(type: .wiredEthernet, isTether: true) }
        if facts.deviceType == "bluetooth" && isEthernet || device?.type == DeviceType.bluetooth {
            return InterfaceClass(type: .other, isTether: true)
        }
        if facts.isPPPoE == true { return InterfaceClass(type: .wiredEthernet, isVirtual: true) }
        if tunnels.contains(kind) || HardwareType.tunnels.contains(link.hardwareType) {
            return InterfaceClass(type: .other, isVirtual: true, isTunnel: true)
        }
        if stacked.contains(kind) { return InterfaceClass(type: nil, isVirtual: true) }
        if cables.contains(kind) { return InterfaceClass(type: .wiredEthernet, isVirtual: true) }
        if isEthernet, isWired(link, facts) { return InterfaceClass(type: .wiredEthernet) }
        guard facts.isReadable || link.kind != nil else { return InterfaceClass(type: .unknown) }
        return InterfaceClass(type: .other, isVirtual: !facts.hasDevice)
    }

    private static func isModem(_ link: Link, _ facts: DeviceFacts, _ device: NetworkManagerFacts.Device?) -> Bool {
        link.kind == "wwan" || facts.deviceType == "wwan" || HardwareType.rawIP.contains(link.hardwareType)
            || device?.type == DeviceType.modem
            || link.hardwareType == HardwareType.ethernet && modemNames.contains { link.name.hasPrefix($0) }
    }

    /// `ipheth` drives iPhones only; the USB network classes also drive docks and adapters, so there the vendor decides.
    private static func isPhone(_ facts: DeviceFacts) -> Bool {
        guard let driver = facts.driver, driver != "ipheth" else { return facts.driver == "ipheth" }
        return (driver == "rndis_host" || driver.hasPrefix("cdc_"))
            && facts.usbVendor.map(phoneVendors.contains) == true
    }

    private static func isWired(_ link: Link, _ facts: DeviceFacts) -> Bool {
        guard facts.isReadable else { return false }
        return facts.hasDevice || facts.deviceType == "gadget" || facts.deviceType == "dsa"
            || link.kind == nil && facts.deviceType == nil
    }

    /// Numbers of NMDeviceType.
    enum DeviceType {
        static let wifi: UInt32 = 2
        static let bluetooth: UInt32 = 5
        static let modem: UInt32 = 8
    }
}

extension RawState {
    /// NetworkManager's facts about a device.
    func networkManagerDevice(_ link: Link) -> NetworkManagerFacts.Device? {
        networkManager?.devices[link.name]
    }

    /// What the device is by itself.
    func interfaceClass(of link: Link) -> InterfaceClass {
        InterfaceClassifier.classify(link, facts: deviceFacts[link.index], device: networkManagerDevice(link))
    }
}

/// What a device is by itself, before its underlying interface is known.
struct InterfaceClass: Sendable, Equatable {
    /// Nil for a device whose type is that of its underlying interface: a VLAN, a bond, a bridge.
    var type: Interface.InterfaceType?
    var isVirtual = false
    var isTunnel = false
    var isTether = false
}

extension RawState {
    /// The device as the library's users see it; nil where it is not recorded.
    func interface(_ index: Int32) -> Interface? {
        guard let link = links[index] else { return nil }
        let nature = interfaceClass(of: link)
        let speed = nature.isVirtual ? nil : deviceFacts[index]?.speedMegabits
        return Interface(
            name: link.name,
            index: Int(index),
            type: nature.type ?? inheritedType(link),
            isVirtual: nature.isVirtual,
            isTunnel: nature.isTunnel,
            isTether: nature.isTether,
            linkSpeed: speed.map { UInt64($0) * 1_000_000 },
            isPointToPoint: link.isPointToPoint
        )
    }

    /// The type of the interface under a VLAN, bond or bridge.
    private func inheritedType(_ link: Link) -> Interface.InterfaceType {
        let bottom = UnderlayResolver(state: self).resolve(link.index).chain.last.flatMap { links[$0] }
        if let type = bottom.flatMap({ interfaceClass(of: $0).type }) { return type }
        return link.hardwareType == HardwareType.ethernet ? .wiredEthernet : .other
    }

    /// From where the devices are seen: a container's cable ends in another network namespace, and it has little else.
    func viewpoint(of path: [Int32]) -> Path.Viewpoint {
        let passed = path.compactMap { links[$0] }
        if passed.contains(where: { $0.parentNamespace != nil }) { return .container }
        guard passed.allSatisfy(isContainerDevice) else { return .host }
        let others = links.values.filter { !$0.isLoopback }
        return !others.isEmpty && others.allSatisfy(isContainerDevice) ? .container : .host
    }

    private func isContainerDevice(_ link: Link) -> Bool {
        InterfaceClassifier.cables.contains(link.kind ?? "") || interfaceClass(of: link).isTunnel
    }
}
