import Glibc
import Posix

/// Reads the error queue of a hop probe's socket.
struct HopReceiver: ~Copyable, Sendable {
    enum Notice: Sendable {
        case departure(Duration, key: UInt32)
        case error(HopError)
        case nothing
    }

    private var buffer = MessageBuffer(capacity: 576)

    /// nil: the error queue is empty.
    mutating func nextNotice(from descriptor: borrowing Descriptor) -> Notice? {
        // An ICMP error of IPv4 is not longer (RFC 1812, 4.3.2.3); of one of IPv6 the datagram is at the start.
        let read = try? buffer.receive(from: descriptor.number, .errors) { data, control in
            (notes: ControlMessages(parsing: control), message: HopMessage(quoted: data), quoted: data.byteCount)
        }
        guard let read else { return nil }
        if read.notes.error?.origin == .timestamp {
            return read.notes.timestamp.flatMap { time in
                read.notes.error.map { .departure(time, key: $0.key) }
            } ?? .nothing
        }
        guard let error = RouterError(read.notes, destination: buffer.address),
            let distance = HopMessage.distance(of: error.destination.port)
        else { return .nothing }
        let refusal = Refusal(error)
        return .error(
            HopError(
                refusal: refusal,
                distance: distance,
                number: read.message?.number,
                arrival: read.notes.timestamp,
                bytes: HopBytes.received(refusal.sender.family, quoted: read.quoted)
            )
        )
    }

    /// Empties the queue of messages: a probe asks for none.
    mutating func discardMessages(from descriptor: borrowing Descriptor) {
        for _ in 0..<128 {
            // An error of the socket is thrown once; the error queue had its message.
            do throws(SystemError) {
                let discarded = try buffer.receive(from: descriptor.number) { _, _ in true }
                guard discarded != nil else { return }
            } catch {
                continue
            }
        }
    }
}

/// An ICMP error for a hop probe.
struct HopError: Sendable, Equatable {
    let refusal: Refusal
    /// As far as its probe was to come.
    let distance: Int
    /// Of the probe; nil: not quoted.
    let number: UInt16?
    /// The kernel's time stamp.
    let arrival: Duration?
    /// Of the IP packet.
    let bytes: UInt64

    /// Whether the probe came as far as it was to: to the router where its hop limit ended, or to the destination.
    var isAnswer: Bool {
        switch refusal.meaning {
        case .timeExceeded, .noPort: true
        case .noRoute, .rejected, .tooBig, nil: refusal.sender == refusal.destination
        }
    }

    /// What it means for its probe.
    ///
    /// - Parameter roundTrip: nil: it is unknown which probe this is the answer to.
    /// - Returns: an answer or a refusal.
    func outcome(after roundTrip: Duration?) -> HopOutcome {
        guard isAnswer else { return .refused(refusal) }
        return .answered(
            by: refusal.sender,
            roundTrip: roundTrip,
            isDestination: refusal.sender == refusal.destination
        )
    }
}
