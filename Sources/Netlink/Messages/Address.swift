package import Posix

/// An address on a device as RTM_NEWADDR describes it (rtnetlink(7), linux/if_addr.h).
package struct Address: Sendable, Hashable {
    package var interfaceIndex: Int32
    /// `IFA_LOCAL` where the kernel sends it (with a peer, `IFA_ADDRESS` is the other end), else `IFA_ADDRESS`.
    package var address: IPAddress
    package var prefixLength: UInt8
    /// 0 universe, 253 link, 254 host.
    package var scope: UInt8 = 0
    /// `IFA_F_…`, from the 32-bit attribute where the kernel sends it.
    package var flags: UInt32 = 0
    /// Seconds that it stays preferred; 0 is deprecated, `UInt32.max` for ever.
    package var preferredLifetime: UInt32?

    package init(interfaceIndex: Int32, address: IPAddress, prefixLength: UInt8) {
        self.interfaceIndex = interfaceIndex
        self.address = address
        self.prefixLength = prefixLength
    }
}
