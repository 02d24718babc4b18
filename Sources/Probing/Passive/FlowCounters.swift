import Netlink
import Posix

/// The counters of one flow, kept from one dump to the next.
struct FlowCounters: Sendable, Equatable {
    private let segmentsIn: UInt32?
    private let segmentsOut: UInt32?
    private let retransmitted: UInt32?

    init(_ flow: TCPFlow) {
        segmentsIn = flow.segmentsIn
        segmentsOut = flow.segmentsOut
        retransmitted = flow.retransmitted
    }

    /// What was counted after `earlier`.
    func increase(since earlier: Self) -> FlowTally {
        FlowTally(
            received: Self.increase(from: earlier.segmentsIn, to: segmentsIn),
            sent: Self.increase(from: earlier.segmentsOut, to: segmentsOut),
            retransmitted: Self.increase(from: earlier.retransmitted, to: retransmitted)
        )
    }

    /// Across a wrap at 2³²; nothing where the counter went back, as when a socket is used for another connection.
    private static func increase(from old: UInt32?, to new: UInt32?) -> UInt64 {
        guard let old, let new else { return 0 }
        let difference = new &- old
        return difference <= UInt32(Int32.max) ? UInt64(difference) : 0
    }
}

/// Segments that flows received and sent between two dumps.
struct FlowTally: Sendable, Equatable {
    var received: UInt64 = 0
    /// Retransmissions included.
    var sent: UInt64 = 0
    var retransmitted: UInt64 = 0

    static func += (total: inout Self, other: Self) {
        total.received += other.received
        total.sent += other.sent
        total.retransmitted += other.retransmitted
    }
}
