/// A network device as RTM_NEWLINK describes it (rtnetlink(7), linux/if_link.h).
package struct Link: Sendable, Equatable {
    /// Interface index, positive; unique within the network namespace.
    package var index: Int32
    /// `IFLA_IFNAME`.
    package var name: String
    /// `ARPHRD_…`: 1 Ethernet (Wi-Fi too), 772 loopback, 65534 none (tun, WireGuard).
    package var hardwareType: UInt16 = 1
    /// `IFF_…` of linux/if.h.
    package var flags: UInt32 = 0
    /// RFC 2863 state: 0 unknown, 3 lower layer down, 5 dormant, 6 up.
    package var operationalState: UInt8 = 0
    /// `IFLA_LINKMODE`: 1 means that somebody above (802.1X, WPA) decides when it is up.
    package var linkMode: UInt8 = 0
    /// `IFLA_INFO_KIND`: veth, bridge, wireguard, tun, …; nil for hardware.
    package var kind: String?
    /// `IFLA_LINK`: the device it stands on, or a veth's peer.
    package var parentIndex: Int32?
    /// `IFLA_LINK_NETNSID`: set when the parent is in another network namespace.
    package var parentNamespace: Int32?
    /// `IFLA_MASTER`: the bridge, bond or team it is part of.
    package var masterIndex: Int32?
    /// `IFLA_BOND_ACTIVE_SLAVE`.
    package var activeSlaveIndex: Int32?
    /// How often the carrier came (`IFLA_CARRIER_UP_COUNT`); wraps at 2³².
    package var carrierUpCount: UInt32?
    /// How often the carrier went (`IFLA_CARRIER_DOWN_COUNT`); wraps at 2³².
    package var carrierDownCount: UInt32?
    /// Bytes received (`IFLA_STATS64`); nil where the kernel sends no statistics.
    package var receivedBytes: UInt64?
    /// Bytes transmitted (`IFLA_STATS64`).
    package var transmittedBytes: UInt64?

    package init(index: Int32, name: String) {
        self.index = index
        self.name = name
    }
}
