/// An ICMP error that came back for a packet of a socket, as the kernel keeps it in the error queue (ip(7), ipv6(7)).
package struct RouterError: Sendable, Equatable {
    /// Who sent it.
    package let sender: IPAddress
    /// Where the packet was sent that it is about.
    package let destination: SocketAddress
    package let type: UInt8
    package let code: UInt8
    /// The hops that were left to it; nil: not known.
    package let hopsLeft: UInt8?
    /// This host sent it to itself, where its next hop does not answer.
    package let isOwn: Bool

    /// Reads a message of the error queue, with what `SocketOptions.setRouterErrors` asks for.
    ///
    /// nil: another message, or an error without these addresses.
    ///
    /// - Parameters:
    ///   - notes: its control messages.
    ///   - destination: `MessageBuffer.address`.
    package init?(_ notes: ControlMessages, destination: SocketAddress?) {
        guard let error = notes.error, error.origin == .icmp, let sender = error.sender, !sender.isUnspecified,
            let destination
        else { return nil }
        (self.sender, self.destination) = (sender, destination)
        (type, code, hopsLeft) = (error.icmpType, error.icmpCode, notes.hopLimit)
        isOwn = sender == notes.destination
    }

    /// Takes the errors out of a socket's error queue, at most so many as a flood could not exceed.
    ///
    /// - Parameter socket: not blocking, with `SocketOptions.setRouterErrors`.
    /// - Returns: the last one; nil: there is none.
    package static func take(from socket: Int32) -> RouterError? {
        // What is quoted of the packet is of no use here.
        var buffer = MessageBuffer(capacity: 64)
        var last: RouterError?
        for _ in 0..<16 {
            let notes = try? buffer.receive(from: socket, .errors) { _, control in ControlMessages(parsing: control) }
            guard let notes else { return last }
            last = RouterError(notes, destination: buffer.address) ?? last
        }
        return last
    }
}
