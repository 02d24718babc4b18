import Posix
import SpeedTestCore
import StrictYAML

extension String {
    /// Whether it may be the name of a target, of an uplink or of its provider: 1 to 128 bytes without control characters.
    var isTargetName: Bool {
        let isPrintable = unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
        return (1...128).contains(utf8.count) && isPrintable
    }
}

extension YAMLType where Value == String {
    /// The name of a target, of an uplink or of its provider: a label's value, which messages show.
    static var targetName: YAMLType {
        .text("a name of 1 to 128 bytes without control characters") { $0.isTargetName ? $0 : nil }
    }

    /// The name of a user's label of a target, other than the names that every target has.
    static var labelName: YAMLType {
        let taken = ["target", "module", "device", "family", "method"]
        let expectation =
            "a label's name: letters, digits and _, not first a digit or __, and none of "
            + taken.joined(separator: ", ")
        return .text(expectation) { text in
            let isName = text.utf8.allSatisfy(\.isWordByte)
            let beginsWell = !text.hasPrefix("__") && !(text.utf8.first.map { $0 < UInt8(ascii: "A") } ?? true)
            return isName && beginsWell && !taken.contains(text) ? text : nil
        }
    }

    /// A name that the kernel accepts for a device (net/core/dev.c, dev_valid_name).
    static var deviceName: YAMLType {
        .text("a device's name such as eth0") { text in
            let isName = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && !"/:".utf8.contains($0) }
            return (1...15).contains(text.utf8.count) && isName && text != "." && text != ".." ? text : nil
        }
    }

    /// A name that can be looked up in the DNS.
    static var domainName: YAMLType {
        .text("a domain name such as example.com") { HostPort.isName($0) ? $0 : nil }
    }

    /// A name that the kernel may have for a congestion control.
    static var congestionControl: YAMLType {
        .text("the name of a congestion control such as cubic or bbr") { text in
            SpeedTestServer.isCongestionControl(text) ? text : nil
        }
    }
}

extension UInt8 {
    /// A letter, a digit or `_` of ASCII.
    var isWordByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The same, or `-`.
    var isNameByte: Bool { isWordByte || self == UInt8(ascii: "-") }
}

extension StringProtocol {
    /// Without white space at either end.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
