import CLinux

/// One message's header (`struct nlmsghdr`) and where its payload lies.
package struct Message: Sendable, Equatable {
    /// `RTM_…`, or below 16 one of netlink's own (`NLMSG_ERROR`, `NLMSG_DONE`, …).
    package var type: Int
    /// `NLM_F_…`.
    package var flags: Int32
    /// The number of the request that this answers; 0 in what was not asked for.
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
