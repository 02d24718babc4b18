import Glibc
import Posix

/// Reads the messages of an ICMP socket, and the kernel's timestamps and errors of those it sent.
struct ICMPReceiver: ~Copyable, Sendable {
    /// A message of the error queue.
    enum Notice: Sendable {
        case departure(Duration, key: UInt32)
        case rejection(sequence: UInt16, errno: Int32)
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
    // A reply of ours has 16 bytes, after an IPv4 header of at most 60.
    private var buffer = MessageBuffer(capacity: 256)

    init(_ kind: ICMPSocketKind, family: AddressFamily, identifier: UInt16) {
        identity = Identity(kind: kind, family: family, identifier: identifier)
    }

    /// nil: the error queue is empty.
    mutating func nextNotice(from descriptor: borrowing Descriptor) -> Notice? {
        let identity = identity
        return try? buffer.receive(from: descriptor.number, .errors) { data, control in
            let notes = ControlMessages(parsing: control)
            guard let error = notes.error else { return .nothing }
            switch error.origin {
            case .timestamp: return notes.timestamp.map { .departure($0, key: error.key) } ?? .nothing
            case .icmp:
                // A smaller MTU of the path does not affect messages as small as ours.
                guard error.code != 0, error.code != EMSGSIZE, let quoted = identity.request(quotedIn: data)
                else { return .nothing }
                return .rejection(sequence: quoted.sequence, errno: error.code)
            case .other: return .nothing
            }
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
