import CLinux

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
