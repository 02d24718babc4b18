/// The addresses that share a prefix (CIDR, RFC 4632 and RFC 4291).
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    /// The first address.
    package let address: IPAddress
    /// In bits.
    package let prefixLength: UInt8

    /// Reads `192.0.2.0/24` and `2001:db8::/32`; nil where a bit after the prefix is set.
    ///
    /// `::ffff:192.0.2.0/120` is the IPv4 range, as a peer's address is the IPv4 one.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])),
            let length = UInt8(parts[1]), length <= address.family.addressBits
        else { return nil }
        if let mapped = address.mappedIPv4, length >= 96 {
            (self.address, prefixLength) = (mapped, length - 96)
        } else {
            (self.address, prefixLength) = (address, length)
        }
        let afterPrefix = self.address.bytes.enumerated().contains { $1 & ~mask(ofByte: $0) != 0 }
        guard !afterPrefix else { return nil }
    }

    /// The range that an address with a prefix of so many bits is in; more bits than it has are all of them.
    package init(around address: IPAddress, prefixLength: UInt8) {
        // The bits after the prefix are kept and ignored.
        self.address = address
        self.prefixLength = min(prefixLength, UInt8(address.family.addressBits))
    }

    /// Whether the address is one of them; one of the other family never is.
    package func contains(_ other: IPAddress) -> Bool {
        guard other.family == address.family else { return false }
        // Whole bytes and the one that the prefix ends in; the rest is ignored.
        for index in 0..<(Int(prefixLength) + 7) / 8
        where (address.bytes[index] ^ other.bytes[index]) & mask(ofByte: index) != 0 { return false }
        return true
    }

    package var description: String { "\(address)/\(prefixLength)" }

    /// The bits of one byte that belong to the prefix.
    private func mask(ofByte index: Int) -> UInt8 {
        let bits = min(max(Int(prefixLength) - index * 8, 0), 8)
        return UInt8(truncatingIfNeeded: 0xff00 >> bits)
    }
}
