package import Posix

/// The public addresses that were answered over the path in use, by family; of IPv6 the first 64 bits, since a host changes the rest itself.
package struct PublicAddresses: Sendable, Equatable {
    /// Several where the answers alternate; none: not known.
    private var networks: [AddressFamily: Set<IPAddress>] = [:]

    package init() {}

    package subscript(family: AddressFamily) -> Set<IPAddress> {
        get { networks[family] ?? [] }
        set { networks[family] = newValue }
    }

    /// Whether they are in a range; nil: not known, or some are and others are not.
    func areIn(_ range: AddressRange) -> Bool? {
        let family = range.address.family
        let length = family == .ipv4 ? range.prefixLength : min(range.prefixLength, 64)
        let range = AddressRange(around: range.address, prefixLength: length)
        let verdicts = Set(self[family].map(range.contains))
        return verdicts.count == 1 ? verdicts.first : nil
    }
}
