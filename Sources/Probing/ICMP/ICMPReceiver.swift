import Glibc
import Posix

/// Reads the messages of an ICMP socket, and the kernel's timestamps and errors of those it sent.
struct ICMPReceiver: ~Copyable, Sendable {
    /// A message of the error queue.
    enum Notice: Sendable {
        case departure(Duration, key: UInt32)
        case rejection(sequence: UInt16, errno: Int32, Refusal?)
        /// A router cannot forward so large a packet; the MTU of its next hop where it says it.
        case tooLarge(sequence: UInt16, mtu: Int?)
        case nothing
    }

    /// Distinguishes the socket's own messages.
    private struct Identity {
        let kind: ICMPSocketKind
        let family: AddressFamily
        let identifier: UInt16

        func reply(in data: RawSpan) -> EchoMessage? {
            let hasIPHeader = kind == .raw && family == .ipv4
            let reply = try? EchoMessage(reply: data, family: family, hasIPHeader: hasIPHeader)
            return reply.flatMap { isOurs($0.identifier) ? $0 : nil }
        }

        func request(quotedIn data: RawSpan) -> QuotedEcho? {
            let quoted = try? QuotedEcho(parsing: data, family: family)
            return quoted.flatMap { isOurs($0.identifier) ? $0 : nil }
        }

        /// A datagram socket has an identifier given by the kernel, and receives only its own messages.
        private func isOurs(_ identifier: UInt16) -> Bool { kind == .datagram || identifier == self.identifier }
    }

    private let identity: Identity
    // The largest reply of ours fills a packet of 1500 bytes, whose IPv4 header may be read, too.
    private var buffer = MessageBuffer(capacity: PathMTU.largest)

    init(_ kind: ICMPSocketKind, family: AddressFamily, identifier: UInt16) {
        identity = Identity(kind: kind, family: family, identifier: identifier)
    }

    /// nil: the error queue is empty.
    mutating func nextNotice(from descriptor: borrowing Descriptor) -> Notice? {
        let identity = identity
        let read = try? buffer.receive(from: descriptor.number, .errors) { data, control in
            (notes: ControlMessages(parsing: control), request: identity.request(quotedIn: data))
        }
        guard let (notes, request) = read else { return nil }
        guard let error = notes.error else { return .nothing }
        switch error.origin {
        case .timestamp: return notes.timestamp.map { .departure($0, key: error.key) } ?? .nothing
        case .icmp:
            guard error.code != 0, let request else { return .nothing }
            if error.code == EMSGSIZE {
                return .tooLarge(sequence: request.sequence, mtu: error.info == 0 ? nil : Int(error.info))
            }
            let refusal = RouterError(notes, destination: buffer.address).map { Refusal($0) }
            return .rejection(sequence: request.sequence, errno: error.code, refusal)
        case .other: return .nothing
        }
    }

    /// nil: no message; a message of another socket has no content.
    mutating func nextReply(
        from descriptor: borrowing Descriptor
    ) -> (EchoMessage?, arrival: Duration?, hopLimit: UInt8?)? {
        let identity = identity
        do throws(SystemError) {
            return try buffer.receive(from: descriptor.number) { data, control in
                let notes = ControlMessages(parsing: control)
                return (identity.reply(in: data), arrival: notes.timestamp, hopLimit: notes.hopLimit)
            }
        } catch {
            // An ICMP error is reported here, too; the error queue has the request that it is about.
            return (nil, arrival: nil, hopLimit: nil)
        }
    }
}
