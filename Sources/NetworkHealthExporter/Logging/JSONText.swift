/// A string as JSON has it (RFC 8259): for the few lines that are written without an encoder.
enum JSONText {
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isControl(scalar): result += escape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Lines of text for a terminal, with `\u001b` in place of what it acts on; JSON keeps its meaning.
    static func visible(_ text: String) -> String {
        func isShown(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\t" || !isControl(scalar) }
        guard !text.unicodeScalars.allSatisfy(isShown) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isShown(scalar) { result.unicodeScalars.append(scalar) } else { result += escape(scalar) }
        }
    }

    /// Of one that `isControl`.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// C0, DEL and C1, on which terminals act, and those that change the direction of text (Bidi_Control of Unicode), so that
    /// a line does not look like another one.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f...0x9f, 0x061c, 0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
