import Glibc

/// What the kernel counts of one TCP connection, or the sum of several.
package struct TCPCounters: Sendable, Equatable {
    /// Payload that the other side has acknowledged (tcpi_bytes_acked).
    package var acknowledged: UInt64 = 0
    /// Payload that was sent, repetitions included (tcpi_bytes_sent, Linux 4.19); before that, what was acknowledged.
    package var sent: UInt64 = 0
    /// Payload that has arrived, read or not (tcpi_bytes_received).
    package var received: UInt64 = 0
    /// Segments sent again (tcpi_total_retrans).
    package var retransmitted: UInt64 = 0
    /// The least round trip of late (tcpi_min_rtt); nil before the first.
    package var minimumRoundTrip: Duration?

    package init() {}

    /// Reads those of an open connection; nil where the kernel is too old to tell (before Linux 4.1), or it is none.
    package init?(of socket: Int32) {
        // struct tcp_info of linux/tcp.h, which only ever grows at its end.
        let length = 208
        let counters = withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { info -> Self? in
            var filled = socklen_t(length)
            guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &filled) == 0, filled >= 136
            else { return nil }
            var counters = Self()
            counters.retransmitted = UInt64(info.loadUnaligned(fromByteOffset: 100, as: UInt32.self))
            counters.acknowledged = info.loadUnaligned(fromByteOffset: 120, as: UInt64.self)
            counters.received = info.loadUnaligned(fromByteOffset: 128, as: UInt64.self)
            counters.sent =
                filled >= 208 ? info.loadUnaligned(fromByteOffset: 200, as: UInt64.self) : counters.acknowledged
            if filled >= 152 {
                let microseconds = info.loadUnaligned(fromByteOffset: 148, as: UInt32.self)
                // All ones before the first measurement.
                if microseconds != .max { counters.minimumRoundTrip = .microseconds(Int64(microseconds)) }
            }
            return counters
        }
        guard let counters else { return nil }
        self = counters
    }

    /// Those of both together; the lesser of the round trips.
    package static func + (first: Self, second: Self) -> Self {
        var sum = first
        sum.acknowledged &+= second.acknowledged
        sum.sent &+= second.sent
        sum.received &+= second.received
        sum.retransmitted &+= second.retransmitted
        sum.minimumRoundTrip = [first.minimumRoundTrip, second.minimumRoundTrip].compactMap(\.self).min()
        return sum
    }

    /// What has been counted since an earlier reading.
    package func since(_ earlier: Self) -> Self {
        var rest = self
        rest.acknowledged &-= min(earlier.acknowledged, acknowledged)
        rest.sent &-= min(earlier.sent, sent)
        rest.received &-= min(earlier.received, received)
        rest.retransmitted &-= min(earlier.retransmitted, retransmitted)
        return rest
    }
}
