import CLinux
import Glibc

/// Requests to generic netlink (linux/genetlink.h), on which parts of the kernel have families of messages, each with a number
/// that the kernel gives when it is loaded.
extension RequestSocket {
    /// A socket for requests to families; `timeout` is how long the kernel may be silent during an answer.
    package static func generic(timeout: Duration = .seconds(1)) throws(NetlinkError) -> RequestSocket {
        try RequestSocket(protocol: NETLINK_GENERIC, timeout: timeout)
    }

    /// The number of a family, which is the type of its messages; nil where the kernel has none of that name.
    mutating func family(_ name: String) throws(NetlinkError) -> Int? {
        var request = Request(type: GenericNetlink.controller)
        request.append(GenericNetlink.Header(command: GenericNetlink.getFamily, version: 1))
        request.append(attribute: GenericNetlink.familyName, Array(name.utf8) + [0])
        var number: Int?
        do {
            _ = try perform(request) { (message, payload) throws(NetlinkError) in
                guard message.type == GenericNetlink.controller else { throw .unexpected(type: message.type) }
                var attributes = AttributeReader(after: GenericNetlink.headerLength, of: payload)
                while let attribute = try attributes.next(in: payload) {
                    guard attribute.type == GenericNetlink.familyID else { continue }
                    number = Int(try attribute.load(UInt16.self, in: payload))
                }
            }
        } catch .kernel(ENOENT, _) {
            return nil
        }
        return number
    }
}

/// Numbers of linux/genetlink.h; they are the kernel's ABI, and the header's constants have types that differ by its version.
enum GenericNetlink {
    /// `struct genlmsghdr`.
    struct Header {
        var command: UInt8
        var version: UInt8
    }

    static let headerLength = 4
    /// GENL_ID_CTRL.
    static let controller = 16
    /// CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME.
    static let getFamily: UInt8 = 3
    static let (familyID, familyName) = (1, 2)
}

extension Request {
    mutating func append(_ header: GenericNetlink.Header) {
        append(header.command)
        append(header.version)
        append(UInt16(0))
    }
}
