/// Reads a message field by field; an incomplete field throws.
///
/// Holds an offset only, so every call takes the same bytes again.
struct DNSReader {
    /// A pointer is two bytes that begin with two ones; its other bits are an offset in the message.
    private static let pointerMark: UInt8 = 0xc0
    // More than any name has labels. Without a limit, chains of pointers in 64 KiB would be work for seconds.
    private static let maxPointers = 127

    private(set) var offset: Int

    init(at offset: Int = 0) {
        self.offset = offset
    }

    mutating func byte(in bytes: RawSpan) throws(DNSMessageError) -> UInt8 {
        guard offset < bytes.byteCount else { throw .truncated(offset: offset) }
        defer { offset += 1 }
        return bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
    }

    mutating func number(in bytes: RawSpan) throws(DNSMessageError) -> UInt16 {
        guard bytes.byteCount - offset >= 2 else { throw .truncated(offset: offset) }
        return UInt16(try byte(in: bytes)) << 8 | UInt16(try byte(in: bytes))
    }

    mutating func skip(_ count: Int, in bytes: RawSpan) throws(DNSMessageError) {
        guard bytes.byteCount - offset >= count else { throw .truncated(offset: offset) }
        offset += count
    }

    /// A name, compressed or not (RFC 1035 4.1.4).
    mutating func name(in bytes: RawSpan) throws(DNSMessageError) -> DNSName {
        var name: [UInt8] = []
        // Where the next field starts: behind the first pointer, if there is one.
        var end: Int?
        // Each pointer must lead further back than all before it, so that none closes a loop.
        var earliest = offset
        var pointers = 0
        while true {
            let start = offset
            let length = try byte(in: bytes)
            switch length & Self.pointerMark {
            case 0:
                name.append(length)
                guard name.count + Int(length) <= DNSName.longestName else {
                    throw .malformed("name, too long,", offset: start)
                }
                guard length > 0 else {
                    offset = end ?? offset
                    return DNSName(wire: name)
                }
                for _ in 0..<length { name.append(try byte(in: bytes).lowercased) }
            case Self.pointerMark:
                let target = Int(length & ~Self.pointerMark) << 8 | Int(try byte(in: bytes))
                pointers += 1
                guard target < earliest, pointers <= Self.maxPointers else {
                    throw .malformed("compression pointer", offset: start)
                }
                end = end ?? offset
                earliest = target
                offset = target
            default: throw .malformed("label", offset: start)
            }
        }
    }
}

/// An error in a received message.
enum DNSMessageError: Error, Equatable, CustomStringConvertible {
    /// It ends within a field.
    case truncated(offset: Int)
    case malformed(String, offset: Int)
    /// It answers another question, or none: a late answer or a forged one.
    case foreign(String)

    var description: String {
        switch self {
        case .truncated(let offset): "the message ends within the field at byte \(offset)"
        case .malformed(let what, let offset): "malformed \(what) at byte \(offset)"
        case .foreign(let what): what
        }
    }
}
