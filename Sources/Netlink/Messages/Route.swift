package import Posix

/// A route as RTM_NEWROUTE describes it, in a dump, an event or the answer to a lookup (rtnetlink(7)).
package struct Route: Sendable, Hashable {
    package var family: AddressFamily
    /// `RTA_TABLE`, else `rtm_table`: 254 main, 255 local.
    package var table: UInt32 = 254
    /// `RTN_…`: 1 unicast, 2 local, 6 blackhole, 7 unreachable, 8 prohibit, 9 throw.
    package var kind: UInt8 = 1
    /// `RTPROT_…`: 2 kernel, 3 boot, 4 static, 9 router advertisement, 16 DHCP.
    package var origin: UInt8 = 0
    /// Prefix length of the destination; 0 is a default route.
    package var destinationLength: UInt8 = 0
    /// `RTNH_F_…` and `RTM_F_…` bits; 0x10 means the link is down.
    package var flags: UInt32 = 0
    /// `RTA_OIF`.
    package var interfaceIndex: Int32?
    /// `RTA_GATEWAY`, or the address in `RTA_VIA` (an IPv6 gateway of an IPv4 route).
    package var gateway: IPAddress?
    /// `RTA_PRIORITY`: the lower wins; absent is 0.
    package var metric: UInt32 = 0
    /// `RTA_PREFSRC`: the source address that the kernel would choose.
    package var preferredSource: IPAddress?
    /// `RTA_NH_ID`.
    package var nexthopID: UInt32?
    /// `RTA_MULTIPATH`: the legs, empty for a plain route.
    package var legs: [RouteLeg] = []

    package init(family: AddressFamily) { self.family = family }
}

/// One next hop of a multipath route (`struct rtnexthop`).
package struct RouteLeg: Sendable, Hashable {
    package var interfaceIndex: Int32
    package var gateway: IPAddress?
    /// `RTNH_F_…`: 1 dead, 0x10 link down.
    package var flags: UInt8 = 0

    package init(interfaceIndex: Int32) { self.interfaceIndex = interfaceIndex }
}
