/// A domain name in wire form: labels after their lengths, ended by the root's zero (RFC 1035 3.1).
///
/// Its letters are lower case, so that names compare without regard to case (RFC 4343).
package struct DNSName: Sendable, Hashable {
    static let longestLabel = 63
    /// With the lengths and the zero.
    static let longestName = 255

    let bytes: [UInt8]

    /// Reads `example.com` and `example.com.`; an international name must be given in A-labels (RFC 5890).
    ///
    /// Labels are of letters, digits, hyphens and underscores (RFC 952, RFC 8552) and neither begin nor end with a
    /// hyphen.
    package init(_ text: String) throws(DNSNameError) {
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        var bytes: [UInt8] = []
        for label in name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard let first = label.first, let last = label.last else { throw .emptyLabel }
            guard label.count <= Self.longestLabel else { throw .longLabel(String(label) ?? "") }
            let hyphen = UInt8(ascii: "-")
            guard first != hyphen, last != hyphen, label.allSatisfy(\.isInLabel) else {
                throw .invalidLabel(String(label) ?? "")
            }
            bytes.append(UInt8(label.count))
            bytes += label.map(\.lowercased)
        }
        bytes.append(0)
        guard bytes.count <= Self.longestName else { throw .longName }
        self.bytes = bytes
    }

    /// Takes labels read from a message, which may hold any bytes.
    init(wire bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Why a text is no domain name.
package enum DNSNameError: Error, Equatable, CustomStringConvertible {
    case emptyLabel
    case longLabel(String)
    case invalidLabel(String)
    case longName

    package var description: String {
        switch self {
        case .emptyLabel: "a domain name has no empty labels"
        case .longLabel(let label): "“\(label)” is longer than the \(DNSName.longestLabel) characters of a label"
        case .invalidLabel(let label):
            "“\(label)” is not a label of a domain name: letters, digits, hyphens and underscores, no hyphen at its ends"
        case .longName: "a domain name has at most \(DNSName.longestName - 2) characters"
        }
    }
}

extension UInt8 {
    /// ASCII's capital letters as small ones; any other byte as it is.
    var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }

    fileprivate var isInLabel: Bool {
        switch lowercased {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
