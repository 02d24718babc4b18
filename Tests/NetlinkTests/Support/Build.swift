import Netlink
import Posix

/// Builds kernel messages by hand, wrong ones too.
enum Build {
    static func integer<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    /// A message; `length` overrides the true one.
    static func message(
        type: Int,
        flags: Int32 = 0,
        sequence: UInt32 = 0,
        length: UInt32? = nil,
        _ payload: [UInt8] = []
    ) -> [UInt8] {
        integer(length ?? UInt32(16 + payload.count)) + integer(UInt16(type)) + integer(UInt16(flags))
            + integer(sequence) + integer(UInt32(0)) + payload
    }

    /// An attribute, padded to four bytes; `length` overrides the true one.
    static func attribute(_ type: Int, length: UInt16? = nil, _ payload: [UInt8]) -> [UInt8] {
        let bytes = integer(length ?? UInt16(4 + payload.count)) + integer(UInt16(type)) + payload
        return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    static func attribute(_ type: Int, _ text: String) -> [UInt8] { attribute(type, Array(text.utf8) + [0]) }

    /// `struct genlmsghdr` and attributes.
    static func generic(command: UInt8 = 4, version: UInt8 = 1, _ attributes: [UInt8]...) -> [UInt8] {
        [command, version, 0, 0] + attributes.joined()
    }

    /// `struct ifinfomsg` and attributes.
    static func link(family: UInt8 = 0, index: Int32 = 7, flags: UInt32 = 0x1_1043, _ attributes: [UInt8]...) -> [UInt8]
    {
        [family, 0] + integer(UInt16(1)) + integer(index) + integer(flags) + integer(UInt32(0)) + attributes.joined()
    }

    /// `struct ifaddrmsg` and attributes.
    static func address(
        family: UInt8 = 2,
        prefix: UInt8 = 24,
        flags: UInt8 = 0x80,
        index: Int32 = 7,
        _ attributes: [UInt8]...
    ) -> [UInt8] {
        [family, prefix, flags, 0] + integer(index) + attributes.joined()
    }

    /// `struct inet_diag_msg` and attributes; the addresses are padded to 16 bytes.
    static func flow(
        family: UInt8 = 2,
        cookie: UInt64 = 1,
        local: [UInt8] = [198, 18, 0, 1],
        remote: [UInt8] = [198, 18, 0, 2],
        _ attributes: [UInt8]...
    ) -> [UInt8] {
        let addresses = [local, remote].flatMap { $0 + [UInt8](repeating: 0, count: 16 - $0.count) }
        let identity = [0x12, 0x34, 0x01, 0xbb] + addresses + integer(UInt32(0)) + integer(cookie.littleEndian)
        let rest = integer(UInt32(0)) + integer(UInt32(0)) + integer(UInt32(0)) + integer(UInt32(1000))
        return [family, 1, 0, 0] + identity + rest + integer(UInt32(4711)) + attributes.joined()
    }

    /// `struct nduseroptmsg` and an option; `room` overrides the option's true length.
    static func option(index: Int32 = 7, icmpType: UInt8 = 134, room: UInt16? = nil, _ option: [UInt8]) -> [UInt8] {
        [10, 0] + integer(room ?? UInt16(option.count)) + integer(index) + [icmpType, 0, 0, 0, 0, 0, 0, 0] + option
    }

    /// `struct rtmsg` and attributes.
    static func route(
        family: UInt8 = 2,
        prefix: UInt8 = 0,
        table: UInt8 = 254,
        kind: UInt8 = 1,
        flags: UInt32 = 0,
        _ attributes: [UInt8]...
    ) -> [UInt8] {
        [family, prefix, 0, 0, table, 4, 0, kind] + integer(flags) + attributes.joined()
    }
}

/// The parsers over arrays, which `#expect` can capture.
enum Parse {
    static func link(_ payload: [UInt8]) throws(NetlinkError) -> Link? { try Link(parsing: payload.span.bytes) }
    static func address(_ payload: [UInt8]) throws(NetlinkError) -> Address? {
        try Address(parsing: payload.span.bytes)
    }
    static func route(_ payload: [UInt8]) throws(NetlinkError) -> Route? { try Route(parsing: payload.span.bytes) }
    static func flow(_ payload: [UInt8]) throws(NetlinkError) -> TCPFlow? { try TCPFlow(parsing: payload.span.bytes) }
    static func linkModes(_ payload: [UInt8]) throws(NetlinkError) -> LinkModes {
        try LinkModes(parsing: payload.span.bytes)
    }
    static func station(_ payload: [UInt8]) throws(NetlinkError) -> WirelessStation {
        try WirelessStation(parsing: payload.span.bytes)
    }
    static func wireless(_ payload: [UInt8]) throws(NetlinkError) -> WirelessInterface {
        try WirelessInterface(parsing: payload.span.bytes)
    }
    static func option(_ payload: [UInt8]) throws(NetlinkError) -> NeighbourOption? {
        try NeighbourOption(parsing: payload.span.bytes)
    }

    /// The messages of a datagram with copies of their payloads.
    static func messages(_ datagram: [UInt8]) throws(NetlinkError) -> [(message: Message, payload: [UInt8])] {
        var reader = MessageReader()
        var messages: [(message: Message, payload: [UInt8])] = []
        while let message = try reader.next(in: datagram.span.bytes) {
            messages.append((message, Array(datagram[message.payload])))
        }
        return messages
    }

    static func attributes(_ bytes: [UInt8]) throws(NetlinkError) -> [Attribute] {
        var reader = AttributeReader(after: 0, of: bytes.span.bytes)
        var attributes: [Attribute] = []
        while let attribute = try reader.next(in: bytes.span.bytes) { attributes.append(attribute) }
        return attributes
    }

    static func event(type: Int, _ payload: [UInt8]) throws(NetlinkError) -> RouteEvent? {
        for (message, payload) in try messages(Build.message(type: type, payload)) {
            return try RouteEvent(message, payload: payload.span.bytes)
        }
        return nil
    }
}
