import Netlink
import Posix

/// Whether a link carries packets, by the kernel's own rule (Documentation/networking/operstates.rst).
extension Link {
    /// IFF_UP: the administrator wants it.
    var isUp: Bool { flags & 0x1 != 0 }
    /// IFF_LOOPBACK, ARPHRD_LOOPBACK.
    var isLoopback: Bool { flags & 0x8 != 0 || hardwareType == HardwareType.loopback }
    /// IFF_RUNNING.
    var isRunning: Bool { flags & 0x40 != 0 }
    /// IFF_LOWER_UP: there is a carrier.
    var isLowerUp: Bool { flags & 0x1_0000 != 0 }
    /// Waits for somebody above it: 802.1X, or Wi-Fi's handshake (IF_OPER_DORMANT).
    var isDormant: Bool { operationalState == 5 }

    /// Up, running and operational; `unknown` is what tunnels report for good.
    ///
    /// Ethernet, Wi-Fi included, must show its carrier too: while a link comes up, the flags pass through states that say
    /// less than they seem to.
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

/// Bits of linux/if_addr.h.
enum AddressFlag {
    static let deprecated: UInt32 = 0x20
    /// Duplicate (0x08), deprecated or tentative (0x40): not to be used as a source.
    static let unusable: UInt32 = 0x08 | deprecated | 0x40
}
