import CLinux

/// A request to the kernel, put together in host byte order.
package struct Request: Sendable {
    private static let headerLength = 16
    private var bytes: [UInt8]

    package init(type: Int, flags: Int32 = 0) {
        bytes = []
        append(UInt32(0))  // the length, known at the end
        append(UInt16(truncatingIfNeeded: type))
        append(UInt16(truncatingIfNeeded: flags | NLM_F_REQUEST))
        append(UInt32(0))  // the sequence number, given when it is sent
        append(UInt32(0))  // the port: the kernel knows ours
    }

    /// Appends a field of the fixed part.
    package mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    /// Appends an attribute.
    package mutating func append(attribute type: Int, _ payload: [UInt8]) {
        append(UInt16(truncatingIfNeeded: 4 + payload.count))
        append(UInt16(truncatingIfNeeded: type))
        bytes.append(contentsOf: payload)
        while bytes.count & 3 != 0 { bytes.append(0) }
    }

    /// Appends an attribute of four bytes.
    package mutating func append(attribute type: Int, _ value: UInt32) {
        append(attribute: type, withUnsafeBytes(of: value) { Array($0) })
    }

    /// Appends an attribute that nests others of four bytes.
    package mutating func append(nested type: Int, _ attributes: [(type: Int, value: UInt32)]) {
        append(UInt16(truncatingIfNeeded: 4 + 8 * attributes.count))
        append(UInt16(truncatingIfNeeded: type) | Self.nestedFlag)
        for attribute in attributes { append(attribute: attribute.type, attribute.value) }
    }

    /// `NLA_F_NESTED` does not import.
    private static let nestedFlag: UInt16 = 0x8000

    /// The bytes to send.
    package func numbered(_ sequence: UInt32) -> [UInt8] {
        var message = bytes
        let length = UInt32(truncatingIfNeeded: message.count)
        withUnsafeBytes(of: length) { message.replaceSubrange(0..<4, with: $0) }
        withUnsafeBytes(of: sequence) { message.replaceSubrange(8..<12, with: $0) }
        return message
    }
}

/// What NLMSG_ERROR and NLMSG_DONE carry: an errno, and text where the kernel explains itself (NETLINK_EXT_ACK).
package struct KernelAnswer: Sendable, Equatable {
    /// The errno, positive; 0 is success.
    package var errno: Int32
    /// `NLMSGERR_ATTR_MSG`.
    package var text: String?

    /// Reads the payload of an NLMSG_ERROR or NLMSG_DONE.
    package init(_ message: Message, payload: RawSpan) throws(NetlinkError) {
        let code = try payload.load(Int32.self, at: 0, of: "error message")
        guard code <= 0, code != .min else { throw .malformed(what: "error number", offset: 0) }
        errno = -code
        guard message.flags & NLM_F_ACK_TLVS != 0 else { return }
        var offset = 4
        if message.type == Int(NLMSG_ERROR) {
            // The request follows: all of it, or only its header.
            let length = Int(try payload.load(UInt32.self, at: 4, of: "error message"))
            offset += message.flags & NLM_F_CAPPED != 0 ? 16 : aligned(length)
        }
        var attributes = AttributeReader(after: offset, of: payload)
        while let attribute = try attributes.next(in: payload) {
            guard attribute.type == Int(NLMSGERR_ATTR_MSG.rawValue) else { continue }
            text = try attribute.loadText(in: payload)
        }
    }

    /// The error, if it is one.
    package var error: NetlinkError? { errno == 0 ? nil : .kernel(errno: errno, text: text) }
}
