import Posix
import StrictYAML

extension YAMLType where Value == String {
    /// The name of a target, which is a label's value and a word in messages.
    static var targetName: YAMLType {
        .text("a name of 1 to 128 bytes without control characters") { text in
            let isPrintable = text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
                default: true
                }
            }
            return (1...128).contains(text.utf8.count) && isPrintable ? text : nil
        }
    }

    /// The name of a label of a target's own, beside those that every target has.
    static var labelName: YAMLType {
        let taken = ["target", "module", "device", "family", "method"]
        let expectation =
            "a label's name: letters, digits and _, not first a digit or __, and none of "
            + taken.joined(separator: ", ")
        return .text(expectation) { text in
            let isName = text.utf8.allSatisfy { $0.isNameByte && $0 != UInt8(ascii: "-") }
            let beginsWell = !text.hasPrefix("__") && !(text.utf8.first.map { $0 < UInt8(ascii: "A") } ?? true)
            return isName && beginsWell && !taken.contains(text) ? text : nil
        }
    }

    /// What the kernel takes as the name of a device (net/core/dev.c, dev_valid_name).
    static var deviceName: YAMLType {
        .text("a device's name such as eth0") { text in
            let isName = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f && !"/:".utf8.contains($0) }
            return (1...15).contains(text.utf8.count) && isName && text != "." && text != ".." ? text : nil
        }
    }

    /// A name to ask the DNS for.
    static var domainName: YAMLType {
        .text("a domain name such as example.com") { HostPort.isName($0) ? $0 : nil }
    }
}
