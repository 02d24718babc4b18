import CLinux
import Glibc
package import Posix

/// A non-blocking netlink socket and the one buffer that it receives into.
///
/// Needs no privilege. Only messages of the kernel are accepted; those of other processes are dropped.
package struct NetlinkSocket: ~Copyable, Sendable {
    /// The kernel fills at most 32 KiB per datagram of a dump, except where a single message is larger.
    private static let initialBuffer = 32 << 10
    private static let largestBuffer = 4 << 20

    private let descriptor: Descriptor
    private var buffer = [UInt8](repeating: 0, count: NetlinkSocket.initialBuffer)

    /// Opens and binds; `receiveBuffer` is in bytes (SO_RCVBUF, which the kernel doubles and limits to `rmem_max`).
    package init(protocol number: Int32 = NETLINK_ROUTE, receiveBuffer: Int32 = 1 << 20) throws(NetlinkError) {
        // All that can fail happens to a local: a noncopyable value cannot be left half made.
        let opened = try Descriptor(netlinkProtocol: number)
        try opened.set(SOL_SOCKET, SO_RCVBUF, to: receiveBuffer, "setsockopt SO_RCVBUF")
        try opened.bindToAnyPort()
        descriptor = opened
    }

    /// Takes over a socket that is already set up.
    package init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// For `poll`, which reports it readable when there is something to receive, an overrun included.
    package var number: Int32 { descriptor.number }

    /// Joins a multicast group (`RTNLGRP_…`).
    package borrowing func join(group: UInt32) throws(NetlinkError) {
        let value = Int32(truncatingIfNeeded: group)
        try descriptor.set(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, to: value, "join netlink group \(group)")
    }

    /// Switches an option of netlink on (`NETLINK_EXT_ACK`, `NETLINK_GET_STRICT_CHK`); one that the kernel is too
    /// old for stays off.
    package borrowing func enable(_ option: Int32) throws(NetlinkError) {
        do {
            try descriptor.set(SOL_NETLINK, option, to: 1, "set netlink option \(option)")
        } catch .system(let error) where error.code == ENOPROTOOPT {
            return
        }
    }

    /// Sends one message to the kernel.
    package borrowing func send(_ message: [UInt8]) throws(NetlinkError) {
        while Glibc.send(descriptor.number, message, message.count, 0) < 0 {
            guard errno == EINTR else { throw .system(SystemError(call: "send AF_NETLINK", code: errno)) }
        }
    }

    /// Receives one datagram, if there is one, and passes on its messages with their payloads.
    ///
    /// An error, of `body` or because of malformed bytes, loses the rest of the datagram. After
    /// `.overrun` and `.oversized` the socket works on, but messages are lost.
    ///
    /// - Parameter body: called for each message; the payload is valid during the call only.
    /// - Returns: false when there was nothing to receive.
    /// - Throws: what `body` throws, and what goes wrong with the socket or the bytes.
    package mutating func receive(
        _ body: (Message, RawSpan) throws(NetlinkError) -> Void
    ) throws(NetlinkError) -> Bool {
        guard let count = try receiveDatagram() else { return false }
        let bytes = buffer.span.bytes.extracting(0..<count)
        var reader = MessageReader()
        while let message = try reader.next(in: bytes) {
            try body(message, bytes.extracting(message.payload))
        }
        return true
    }

    /// Discards all that has arrived.
    package mutating func discard() throws(NetlinkError) {
        while true {
            do {
                guard try receiveDatagram() != nil else { return }
            } catch .overrun {
                continue
            } catch .oversized {
                continue
            }
        }
    }

    /// Waits until there is something to receive; throws `.timeout` when nothing arrives in time.
    ///
    /// Blocks: never call it on the cooperative pool.
    package borrowing func wait(timeout: Duration) throws(NetlinkError) {
        let (seconds, attoseconds) = timeout.components
        // At most a day, so that the product cannot overflow.
        let milliseconds = Int32(clamping: min(max(seconds, 0), 86_400) * 1000 + attoseconds / 1_000_000_000_000_000)
        // Below zero, poll would wait for ever.
        let limit = max(milliseconds, 0)
        var waiting = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&waiting, 1, limit)
            if count > 0 { return }
            guard count < 0 else { throw .timeout }
            guard errno == EINTR else { throw .system(SystemError(call: "poll AF_NETLINK", code: errno)) }
        }
    }

    /// The length of the next datagram from the kernel, now in the buffer; nil when there is none.
    private mutating func receiveDatagram() throws(NetlinkError) -> Int? {
        while true {
            var sender = sockaddr_nl()
            let count = buffer.withUnsafeMutableBytes { buffer in
                withUnsafeMutableBytes(of: &sender) { sender in
                    var length = socklen_t(sender.count)
                    // With MSG_TRUNC the result is the datagram's own length, even where the buffer is shorter.
                    return recvfrom(
                        descriptor.number,
                        buffer.baseAddress,
                        buffer.count,
                        Int32(MSG_TRUNC),
                        sender.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                        &length
                    )
                }
            }
            guard count >= 0 else {
                switch errno {
                case EINTR: continue
                case EAGAIN: return nil
                case ENOBUFS: throw .overrun
                default: throw .system(SystemError(call: "recvfrom AF_NETLINK", code: errno))
                }
            }
            guard sender.nl_pid == 0 else { continue }
            guard count <= buffer.count else {
                buffer = [UInt8](repeating: 0, count: min(aligned(count), Self.largestBuffer))
                throw .oversized(bytes: count)
            }
            return count
        }
    }
}

extension Descriptor {
    fileprivate init(netlinkProtocol number: Int32) throws(NetlinkError) {
        do {
            self = try Descriptor(
                owning: nhe_socket(AF_NETLINK, SocketType.raw | SocketType.flags, number),
                from: "socket AF_NETLINK"
            )
        } catch {
            throw .system(error)
        }
    }

    /// Port 0 in the address: the kernel picks one.
    fileprivate borrowing func bindToAnyPort() throws(NetlinkError) {
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        let result = withUnsafeBytes(of: &address) { bytes in
            bind(number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard result == 0 else { throw .system(SystemError(call: "bind AF_NETLINK", code: errno)) }
    }

    fileprivate borrowing func set(
        _ level: Int32,
        _ option: Int32,
        to value: Int32,
        _ call: @autoclosure () -> String
    ) throws(NetlinkError) {
        var value = value
        guard setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw .system(SystemError(call: call(), code: errno))
        }
    }
}
