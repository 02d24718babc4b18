import Glibc

/// What recvmsg(2) receives into.
package struct MessageBuffer: ~Copyable, Sendable {
    package enum Queue: Sendable {
        case messages
        /// Errors and time stamps, where the socket asks for them (MSG_ERRQUEUE).
        case errors
    }

    private var data: [UInt8]
    private var control = [UInt8](repeating: 0, count: 512)
    private var name = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
    /// Where the last message came from; for an error, where the packet was sent that it is about.
    ///
    /// nil: the socket does not say.
    package private(set) var address: SocketAddress?

    /// - Parameter capacity: bytes of a message; the rest of a longer one is lost.
    package init(capacity: Int) {
        data = [UInt8](repeating: 0, count: capacity)
    }

    /// Receives one message, if there is one, and hands it over with its control messages.
    ///
    /// - Parameters:
    ///   - descriptor: a non-blocking socket.
    ///   - queue: which of its two.
    ///   - body: gets both, which are valid during the call only.
    /// - Returns: what `body` returns; nil when there was nothing to receive.
    /// - Throws: the error of the call; one that had waited at the socket is gone then.
    package mutating func receive<Result>(
        from descriptor: Int32,
        _ queue: Queue = .messages,
        _ body: (_ data: RawSpan, _ control: RawSpan) -> Result
    ) throws(SystemError) -> Result? {
        var message = msghdr()
        let count = data.withUnsafeMutableBytes { data in
            control.withUnsafeMutableBytes { control in
                name.withUnsafeMutableBytes { name in
                    var vector = iovec(iov_base: data.baseAddress, iov_len: data.count)
                    return withUnsafeMutablePointer(to: &vector) { vector in
                        message.msg_iov = vector
                        message.msg_iovlen = 1
                        message.msg_control = control.baseAddress
                        message.msg_controllen = control.count
                        message.msg_name = name.baseAddress
                        message.msg_namelen = socklen_t(name.count)
                        while true {
                            let count = recvmsg(descriptor, &message, queue == .errors ? Int32(MSG_ERRQUEUE) : 0)
                            if count >= 0 || errno != EINTR { return count }
                        }
                    }
                }
            }
        }
        guard count >= 0 else {
            if errno == EAGAIN { return nil }
            throw SystemError(call: "recvmsg", code: errno)
        }
        let length = min(Int(message.msg_namelen), name.count)
        address = name.withUnsafeBytes { SocketAddress(copying: $0.baseAddress, length: length) }
        return body(
            data.span.bytes.extracting(0..<min(count, data.count)),
            control.span.bytes.extracting(0..<min(Int(message.msg_controllen), control.count))
        )
    }
}
