import CLinux
import Posix

/// One message's header (`struct nlmsghdr`) and where its payload lies.
package struct Message: Sendable, Equatable {
    /// `RTM_…`, or below 16 one of netlink's own (`NLMSG_ERROR`, `NLMSG_DONE`, …).
    package var type: Int
    /// `NLM_F_…`.
    package var flags: Int32
    /// The number of the request that this answers; 0 in an event.
    package var sequence: UInt32
    /// Offsets within the bytes that the reader walks, checked against their end.
    package var payload: Range<Int>
}

/// Walks the messages of one received datagram.
///
/// Holds offsets only, so every call takes the same bytes again.
package struct MessageReader {
    private static let headerLength = 16
    private var offset = 0

    package init() {}

    /// The next message, or nil after the last one.
    package mutating func next(in bytes: RawSpan) throws(NetlinkError) -> Message? {
        guard offset < bytes.byteCount else { return nil }
        let start = offset
        let remaining = bytes.byteCount - start
        guard remaining >= Self.headerLength else { throw .truncated(what: "message header", offset: start) }
        let length = Int(try bytes.load(UInt32.self, at: start, of: "message header"))
        guard length >= Self.headerLength else { throw .malformed(what: "message length", offset: start) }
        guard length <= remaining else { throw .truncated(what: "message", offset: start) }
        // The padding of the last message may be absent, so this may point past the end.
        offset = start + aligned(length)
        return Message(
            type: Int(try bytes.load(UInt16.self, at: start + 4, of: "message header")),
            flags: Int32(try bytes.load(UInt16.self, at: start + 6, of: "message header")),
            sequence: try bytes.load(UInt32.self, at: start + 8, of: "message header"),
            payload: start + Self.headerLength..<start + length
        )
    }
}

/// One attribute (`struct rtattr`): a number and where its payload lies.
package struct Attribute: Sendable, Equatable {
    /// `IFLA_…`, `IFA_…`, `RTA_…`, without the two flag bits.
    package var type: Int
    /// Offsets within the bytes that the reader walks, checked against their end.
    package var payload: Range<Int>

    /// An integer in host byte order; bytes after it are ignored, as the kernel ignores them.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type,
        at offset: Int = 0,
        in bytes: RawSpan
    ) throws(NetlinkError) -> Value {
        guard payload.count >= offset + MemoryLayout<Value>.size else {
            throw .truncated(what: "attribute \(self.type)", offset: payload.lowerBound)
        }
        return try bytes.load(type, at: payload.lowerBound + offset, of: "attribute \(self.type)")
    }

    /// An interface index; nil for 0, which means none.
    func loadIndex(in bytes: RawSpan) throws(NetlinkError) -> Int32? {
        let index = try load(Int32.self, in: bytes)
        guard index >= 0 else { throw .malformed(what: "attribute \(type)", offset: payload.lowerBound) }
        return index == 0 ? nil : index
    }

    /// Text up to the first NUL, with what is not UTF-8 replaced.
    func loadText(in bytes: RawSpan) throws(NetlinkError) -> String {
        let text = try bytes.bytes(payload, of: "attribute \(type)")
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// An address of one family.
    func loadAddress(_ family: AddressFamily, in bytes: RawSpan) throws(NetlinkError) -> IPAddress {
        let address = IPAddress(bytes: try bytes.bytes(payload, of: "attribute \(type)"))
        guard let address, address.family == family else {
            throw .malformed(what: "attribute \(type), an address", offset: payload.lowerBound)
        }
        return address
    }
}

/// Walks attributes: those after a message's fixed part, or those nested in another attribute.
///
/// Holds offsets only, so every call takes the same bytes again.
package struct AttributeReader {
    private static let headerLength = 4
    /// `NLA_F_NESTED` and `NLA_F_NET_BYTEORDER` are not part of the number (`NLA_TYPE_MASK` does not import).
    private static let typeMask: UInt16 = 0x3fff

    private var offset: Int
    private let end: Int

    /// Reads what lies in the range, at most to the end of the bytes given to `next`.
    package init(_ range: Range<Int>) {
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Reads the attributes after the fixed part of a message's payload.
    package init(after fixedPart: Int, of payload: RawSpan) {
        offset = fixedPart
        end = payload.byteCount
    }

    /// The next attribute, or nil after the last one.
    package mutating func next(in bytes: RawSpan) throws(NetlinkError) -> Attribute? {
        guard offset < end else { return nil }
        let start = offset
        guard end - start >= Self.headerLength, end <= bytes.byteCount else {
            throw .truncated(what: "attribute header", offset: start)
        }
        let length = Int(try bytes.load(UInt16.self, at: start, of: "attribute header"))
        guard length >= Self.headerLength else { throw .malformed(what: "attribute length", offset: start) }
        guard length <= end - start else { throw .truncated(what: "attribute", offset: start) }
        // The padding of the last attribute may be absent, so this may point past the end.
        offset = start + aligned(length)
        let type = try bytes.load(UInt16.self, at: start + 2, of: "attribute header") & Self.typeMask
        return Attribute(type: Int(type), payload: start + Self.headerLength..<start + length)
    }
}

/// Reads that throw where the standard library's would trap.
extension RawSpan {
    /// Loads an integer in host byte order at any alignment.
    func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type,
        at offset: Int,
        of what: @autoclosure () -> String
    ) throws(NetlinkError) -> Value {
        // The subtraction cannot overflow as the addition might.
        guard offset >= 0, offset <= byteCount, byteCount - offset >= MemoryLayout<Value>.size else {
            throw .truncated(what: what(), offset: offset)
        }
        return unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }

    /// Copies the bytes of a range.
    func bytes(_ range: Range<Int>, of what: @autoclosure () -> String) throws(NetlinkError) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else {
            throw .truncated(what: what(), offset: range.lowerBound)
        }
        return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            for offset in range {
                buffer[count] = unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
                count += 1
            }
        }
    }
}

/// Netlink pads messages and attributes to four bytes (`NLMSG_ALIGNTO`, `RTA_ALIGNTO`).
func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
