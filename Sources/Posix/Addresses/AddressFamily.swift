import Glibc

/// The two families a path is looked up in.
package enum AddressFamily: String, Sendable, Hashable, CaseIterable {
    case ipv4, ipv6

    /// From the `AF_` number of a kernel message; nil for any other family.
    package init?(number: Int32) {
        switch number {
        case AF_INET: self = .ipv4
        case AF_INET6: self = .ipv6
        default: return nil
        }
    }

    /// The `AF_` number.
    package var number: Int32 { self == .ipv4 ? AF_INET : AF_INET6 }

    /// Length of an address, the longest prefix.
    package var addressBits: UInt8 { self == .ipv4 ? 32 : 128 }
}
