/// Reads a request target, for the fuzzer; a difference between what was read, and the same written and read again, traps.
///
/// - Returns: whether it was accepted.
package func fuzzRequestTarget(_ bytes: [UInt8]) -> Bool {
    guard let target = try? RequestTarget(decoding: bytes) else { return false }
    // By bytes: a combining mark makes one character with the slash before it.
    precondition(target.path == "*" || target.path.utf8.first == UInt8(ascii: "/") && !target.path.utf8.contains(0))
    precondition((try? RequestTarget(decoding: target.encoded)) == target)
    return true
}

/// Reads lines as the headers of a request, for the fuzzer.
///
/// - Returns: whether such a request was accepted.
package func fuzzHeaders(_ bytes: [UInt8]) -> Bool {
    var headers = Headers()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        headers.add(
            String(decoding: line[..<colon], as: UTF8.self),
            String(decoding: line[colon...].dropFirst(), as: UTF8.self)
        )
    }
    _ = AcceptEncoding.allowsGzip(headers.values("Accept-Encoding"))
    var isAccepted = false
    for isHTTP10 in [false, true] {
        guard let framing = try? RequestRules.framing(of: headers, isHTTP10: isHTTP10) else { continue }
        // What a proxy could end elsewhere.
        precondition(headers.values("Content-Length").isEmpty || headers.values("Transfer-Encoding").isEmpty)
        if case .length(let length) = framing { precondition(length > 0) }
        isAccepted = true
    }
    return isAccepted
}

extension RequestTarget {
    /// In origin-form, with every byte but letters, digits and slashes escaped.
    fileprivate var encoded: [UInt8] {
        guard path != "*" else { return [UInt8(ascii: "*")] }
        var bytes = Self.escaped(path)
        for (index, item) in query.enumerated() {
            bytes.append(UInt8(ascii: index == 0 ? "?" : "&"))
            bytes += Self.escaped(item.name) + [UInt8(ascii: "=")] + Self.escaped(item.value)
        }
        return bytes
    }

    private static func escaped(_ text: String) -> [UInt8] {
        text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "/")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): [byte]
            default: Array((byte < 16 ? "%0" : "%").utf8) + Array(String(byte, radix: 16).utf8)
            }
        }
    }
}
