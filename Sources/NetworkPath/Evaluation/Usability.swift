import Netlink
import Posix

/// Whether a link carries packets, by the kernel's own rule (Documentation/networking/operstates.rst).
extension Link {
    /// IFF_UP: the administrator wants it.
    var isUp: Bool { flags & 0x1 != 0 }
    /// IFF_LOOPBACK, ARPHRD_LOOPBACK.
    var isLoopback: Bool { flags & 0x8 != 0 || hardwareType == HardwareType.loopback }
    /// IFF_POINTOPOINT.
    var isPointToPoint: Bool { flags & 0x10 != 0 }
    /// A PPP line: PPPoE or a VPN.
    var isPPP: Bool { kind == "ppp" || hardwareType == HardwareType.ppp }
    /// IFF_RUNNING.
    var isRunning: Bool { flags & 0x40 != 0 }
    /// IFF_LOWER_UP: there is a carrier.
    var isLowerUp: Bool { flags & 0x1_0000 != 0 }
    /// Waits for a program: 802.1X, or Wi-Fi's handshake (IF_OPER_DORMANT).
    var isDormant: Bool { operationalState == 5 }

    /// There is a carrier, but the kernel has not marked the link as running yet.
    ///
    /// It does so up to a second later, if another carrier on the machine changed just before (net/core/link_watch.c).
    var isAwaitingRunning: Bool { isUp && isLowerUp && !isRunning && !isLoopback }

    /// Up, running and operational; tunnels report `unknown` permanently.
    ///
    /// Ethernet, Wi-Fi included, must have its carrier too: while a link comes up, its flags pass through states that do
    /// not mean what they say.
    var isUsable: Bool {
        isUp && isRunning && !isLoopback && (operationalState == 6 || operationalState == 0)
            && (hardwareType != HardwareType.ethernet || isLowerUp)
    }

    /// Why it is not usable.
    var downCause: DownCause { isUp ? .carrier : .administrative }
}

/// Numbers of linux/if_arp.h.
enum HardwareType {
    static let ethernet: UInt16 = 1
    static let ppp: UInt16 = 512
    static let loopback: UInt16 = 772
    static let rawIP: Set<UInt16> = [519, 530]
    /// None (tun, WireGuard), tunnel, tunnel6, sit, IP-GRE, IPv6-GRE.
    static let tunnels: Set<UInt16> = [65534, 768, 769, 776, 778, 823]
}

extension RawState {
    /// Whether the kernel can send over this next hop: neither dead nor without carrier (RTNH_F_DEAD, RTNH_F_LINKDOWN),
    /// and over a usable link.
    func isUsable(_ hop: RouteHop) -> Bool {
        hop.flags & 0x11 == 0 && links[hop.interfaceIndex]?.isUsable == true
    }

    /// Whether packets to the internet can carry this source address and get an answer.
    ///
    /// An address that is not recorded (yet) is usable if the kernel chose it.
    func isUsableSource(_ source: IPAddress) -> Bool {
        guard !source.isLinkLocal, !source.isLoopback, !source.isUnspecified else { return false }
        guard source.family == .ipv6 else { return true }
        let recorded = addresses.values.filter { $0.address == source }
        return recorded.isEmpty || recorded.contains(where: \.isUsableSource)
    }

    /// Whether the device has an address of its own that reaches beyond the link.
    func hasUsableAddress(on index: Int32) -> Bool {
        addresses.values.contains {
            $0.interfaceIndex == index && $0.isUsableSource && isUsableSource($0.address)
        }
    }

    /// An address as text; a link-local IPv6 address with its zone, without which it is ambiguous.
    func text(of address: IPAddress, on index: Int32) -> String {
        links[index].map { address.text(on: $0.name) } ?? "\(address)"
    }
}

extension IPAddress {
    /// As text; a link-local IPv6 address with the device as its zone, without which it is ambiguous.
    package func text(on device: String) -> String {
        family == .ipv6 && isLinkLocal ? "\(self)%\(device)" : "\(self)"
    }
}

/// Bits of linux/if_addr.h.
enum AddressFlag {
    static let deprecated: UInt32 = 0x20
    static let tentative: UInt32 = 0x40
    /// Duplicate (0x08), deprecated or tentative: not to be used as a source.
    static let unusable: UInt32 = 0x08 | deprecated | tentative
}

extension Address {
    /// Of IPv6: whether another host has it is not known yet.
    var isTentative: Bool { flags & AddressFlag.tentative != 0 }

    /// Global in scope, and for IPv6 neither tentative, duplicate nor deprecated.
    var isUsableSource: Bool {
        scope == 0 && (address.family == .ipv4 || flags & AddressFlag.unusable == 0)
    }
}
