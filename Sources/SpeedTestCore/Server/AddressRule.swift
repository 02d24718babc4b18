package import Posix

/// Which clients the embedded server takes: a class of addresses, or a range of them.
package enum AddressRule: Sendable, Hashable, CustomStringConvertible {
    /// This host: 127.0.0.0/8 and ::1.
    case loopback
    /// Networks of one's own: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918) and fc00::/7 (RFC 4193).
    case privateUse
    /// The same link: 169.254.0.0/16 and fe80::/10.
    case linkLocal
    /// All the others.
    case publicUse
    /// Such as `198.18.0.0/15`.
    case range(AddressRange)

    private static let words: [(String, AddressRule)] = [
        ("loopback", .loopback), ("private", .privateUse), ("link-local", .linkLocal), ("public", .publicUse),
    ]
    private static let loopbackRanges = ranges("127.0.0.0/8", "::1/128")
    private static let privateRanges = ranges("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")

    /// What an error message says was expected.
    package static let expectation = "loopback, private, link-local, public or a range such as 198.18.0.0/15"

    /// Reads one of the words, or a range.
    package init?(_ text: String) {
        if let word = Self.words.first(where: { $0.0 == text }) {
            self = word.1
        } else if let range = AddressRange(text) {
            self = .range(range)
        } else {
            return nil
        }
    }

    package var description: String {
        if case .range(let range) = self { return range.description }
        return Self.words.first { $0.1 == self }?.0 ?? ""
    }

    /// The class that an address belongs to.
    package init(classOf address: IPAddress) {
        if address.isLinkLocal {
            self = .linkLocal
        } else if Self.loopbackRanges.contains(where: { $0.contains(address) }) {
            self = .loopback
        } else {
            self = Self.privateRanges.contains { $0.contains(address) } ? .privateUse : .publicUse
        }
    }

    /// Whether the rule takes this client.
    package func allows(_ address: IPAddress) -> Bool {
        if case .range(let range) = self { return range.contains(address) }
        return self == AddressRule(classOf: address)
    }

    private static func ranges(_ texts: String...) -> [AddressRange] { texts.compactMap { AddressRange($0) } }
}
