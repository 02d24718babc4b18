import Glibc

/// The two families of internet addresses.
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

    /// The bytes of an IP header without options (RFC 791, RFC 8200).
    package var headerBytes: Int { self == .ipv4 ? 20 : 40 }

    /// Length of an address, the longest prefix.
    package var addressBits: UInt8 { self == .ipv4 ? 32 : 128 }
}

/// An IPv4 or IPv6 address as the kernel carries it.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// - Returns: nil unless there are 4 or 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Reads the textual form (inet_pton(3)): `192.0.2.1`, `2001:db8::1`; no brackets, zone or port.
    package init?(_ text: String) {
        // The call would read the text up to the first NUL.
        guard !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else {
            return nil
        }
    }

    /// Reads the textual form as `init(_:)` does, and leaves out a zone: `fe80::1%eth0`.
    package static func withoutZone(_ text: String) -> IPAddress? { IPAddress(String(text.prefix { $0 != "%" })) }

    /// `0.0.0.0` or `::`, on which a listener takes connections to every address of the host.
    package static func unspecified(_ family: AddressFamily) -> IPAddress {
        IPAddress(unchecked: [UInt8](repeating: 0, count: Int(family.addressBits) / 8))
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Which of the two it is.
    package var family: AddressFamily { bytes.count == 4 ? .ipv4 : .ipv6 }

    /// 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        family == .ipv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// Whether it is an address of this host, in the network namespace of the calling thread.
    ///
    /// The kernel sends to one of its own from that address, but to a further one of a subnet from the first.
    package var isOfThisHost: Bool { isLoopback || SocketAddress(self).source == self || isOfDevice }

    /// Whether a device has it (getifaddrs(3)).
    private var isOfDevice: Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return false }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next }).contains { entry in
            entry.flatMap { SocketAddress(copying: $0.pointee.ifa_addr) }?.ip == self
        }
    }

    /// What one client may have: an IPv4 address, or the first 64 bits of an IPv6 address, of which one host can use all.
    package var clientNetwork: IPAddress {
        family == .ipv4 ? self : IPAddress(unchecked: bytes.prefix(8) + [UInt8](repeating: 0, count: 8))
    }

    /// fe80::/10 or 169.254.0.0/16 (RFC 4291, RFC 3927).
    package var isLinkLocal: Bool {
        family == .ipv4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
    }

    /// Whether it can be one host's: neither unspecified, multicast, reserved nor broadcast.
    package var isUnicast: Bool {
        switch family {
        case .ipv4: bytes[0] != 0 && bytes[0] < 224
        case .ipv6: bytes[0] != 0xff && bytes.contains { $0 != 0 }
        }
    }

    /// Whether packets to it can leave the link: neither unspecified, loopback, link-local, multicast nor broadcast.
    package var isRoutable: Bool {
        guard isUnicast, !isLinkLocal else { return false }
        return family == .ipv4 ? bytes[0] != 127 : bytes.dropLast().contains { $0 != 0 }
    }

    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let base = buffer.baseAddress,
                inet_ntop(family.number, bytes, base, socklen_t(buffer.count)) != nil
            else { return "?" }
            return String(cString: base)
        }
    }
}

extension IPAddress {
    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
    private static let translatedPrefix: [UInt8] = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]

    /// The IPv4 address in `::ffff:0:0/96` (RFC 4291, 2.5.5.2): what an IPv6 socket calls an IPv4 peer.
    package var mappedIPv4: IPAddress? { embedded(after: Self.mappedPrefix) }

    /// The IPv4 address in `64:ff9b::/96` (RFC 6052): reached over IPv6, by way of a translator.
    package var translatedIPv4: IPAddress? { embedded(after: Self.translatedPrefix) }

    /// The embedded IPv4 address, else the address itself.
    package var withoutEmbedding: IPAddress { mappedIPv4 ?? translatedIPv4 ?? self }

    private func embedded(after prefix: [UInt8]) -> IPAddress? {
        guard family == .ipv6, bytes.starts(with: prefix) else { return nil }
        return IPAddress(bytes: Array(bytes.suffix(4)))
    }
}
