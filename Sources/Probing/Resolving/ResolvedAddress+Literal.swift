import Posix

extension ResolvedAddress {
    /// Reads a literal address, with a device or its index where it is an IPv6 address: `fe80::1%eth0`.
    ///
    /// - Parameter text: an address or a name.
    /// - Returns: nil where it is no literal address, that is to say a name.
    /// - Throws: `.noInterface` where there is no such device.
    package static func literal(_ text: String) throws(ProbeFailure) -> ResolvedAddress? {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else { return ResolvedAddress(address: address) }
        guard address.family == .ipv6 else { return nil }
        let device = String(parts[1])
        guard let scope = UInt32(device) ?? NetworkDevice.index(of: device), scope > 0 else { throw .noInterface }
        return ResolvedAddress(address: address, scope: scope)
    }
}
