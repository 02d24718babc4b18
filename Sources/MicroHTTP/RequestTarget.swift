/// A request target (RFC 9112 section 3.2) taken apart and decoded strictly.
struct RequestTarget: Equatable {
    var path: String
    var query: [Request.QueryItem]

    /// Reads origin-form, absolute-form (scheme and authority are dropped) and `*`.
    init(decoding bytes: [UInt8]) throws(RequestError) {
        for byte in bytes where byte <= 0x20 || byte == 0x7f {
            throw .badRequest("the request target has a space or a control character")
        }
        let rest = try Self.withoutAuthority(bytes[...])
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        path = try Self.decode(rest[..<mark], plusIsSpace: false)
        query = []
        for pair in rest[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            query.append(
                Request.QueryItem(
                    name: try Self.decode(pair[..<equals], plusIsSpace: true),
                    value: try Self.decode(pair[equals...].dropFirst(), plusIsSpace: true)
                )
            )
        }
    }

    private static func withoutAuthority(_ target: ArraySlice<UInt8>) throws(RequestError) -> ArraySlice<UInt8> {
        if target.first == UInt8(ascii: "/") || target.elementsEqual([UInt8(ascii: "*")]) { return target }
        for scheme in ["http://", "https://"] {
            let prefix = target.prefix(scheme.utf8.count)
            guard Headers.isSame(String(decoding: prefix, as: UTF8.self), scheme) else { continue }
            let rest = target.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            guard end > rest.startIndex else { break }
            // An empty path is "/" (RFC 9110 section 4.2.3).
            return rest[end...].first == UInt8(ascii: "/") ? rest[end...] : [UInt8(ascii: "/")] + rest[end...]
        }
        throw .badRequest("the request target must begin with a slash")
    }

    private static func decode(_ part: ArraySlice<UInt8>, plusIsSpace: Bool) throws(RequestError) -> String {
        guard part.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") && plusIsSpace }) else {
            return try text(part)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(part.count)
        var index = part.startIndex
        while index < part.endIndex {
            let byte = part[index]
            index += 1
            switch byte {
            case UInt8(ascii: "%"):
                guard part.endIndex - index >= 2, let high = nibble(part[index]), let low = nibble(part[index + 1])
                else { throw .badRequest("the request target has a malformed percent escape") }
                guard high | low != 0 else { throw .badRequest("the request target has a NUL") }
                decoded.append(high << 4 | low)
                index += 2
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        return try text(decoded[...])
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(RequestError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .badRequest("the request target is not UTF-8")
        }
        return text
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
