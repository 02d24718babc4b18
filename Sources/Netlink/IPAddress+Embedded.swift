extension IPAddress {
    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
    private static let translatedPrefix: [UInt8] = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]

    /// The IPv4 address in `::ffff:0:0/96` (RFC 4291, 2.5.5.2): what an IPv6 socket calls an IPv4 peer.
    package var mappedIPv4: IPAddress? { embedded(after: Self.mappedPrefix) }

    /// The IPv4 address in `64:ff9b::/96` (RFC 6052): reached over IPv6, by way of a translator.
    package var translatedIPv4: IPAddress? { embedded(after: Self.translatedPrefix) }

    private func embedded(after prefix: [UInt8]) -> IPAddress? {
        guard family == .ipv6, bytes.starts(with: prefix) else { return nil }
        return IPAddress(bytes: Array(bytes.suffix(4)))
    }
}
