import Posix

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
