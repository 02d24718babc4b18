/// Bytes in each direction; what is counted, payload or packets, the owner of the counts says.
///
/// ```swift
/// var counts = ByteCounts()
/// counts += ByteCounts(received: 1500, transmitted: 40)
/// counts.total  // 1540
/// ```
package struct ByteCounts: Sendable, Equatable {
    package var received: UInt64
    package var transmitted: UInt64

    package init(received: UInt64 = 0, transmitted: UInt64 = 0) {
        (self.received, self.transmitted) = (received, transmitted)
    }

    package var total: UInt64 { received &+ transmitted }

    package static func += (counts: inout ByteCounts, other: ByteCounts) {
        counts.received &+= other.received
        counts.transmitted &+= other.transmitted
    }

    /// What was counted since an earlier reading.
    package func since(_ earlier: ByteCounts) -> ByteCounts {
        ByteCounts(
            received: received &- earlier.received,
            transmitted: transmitted &- earlier.transmitted
        )
    }
}
