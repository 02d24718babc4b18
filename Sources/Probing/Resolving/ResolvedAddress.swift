package import Posix

/// An address with what it takes to reach it.
package struct ResolvedAddress: Sendable, Hashable {
    package var address: IPAddress
    /// The index of the device of a link-local IPv6 address; 0: none is needed.
    package var scope: UInt32

    package init(address: IPAddress, scope: UInt32 = 0) {
        self.address = address
        self.scope = scope
    }
}
