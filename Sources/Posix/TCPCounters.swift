/// What the kernel counts of one TCP connection, or the sum of several.
package struct TCPCounters: Sendable, Equatable {
    /// Payload that the other side has acknowledged (tcpi_bytes_acked).
    package var acknowledged: UInt64 = 0
    /// Payload that was sent, repetitions included (tcpi_bytes_sent).
    package var sent: UInt64 = 0
    /// Payload that has arrived, read or not (tcpi_bytes_received).
    package var received: UInt64 = 0
    /// Segments sent again (tcpi_total_retrans).
    package var retransmitted: UInt64 = 0
    /// The least round trip of late (tcpi_min_rtt); nil before the first.
    package var minimumRoundTrip: Duration?

    package init() {}

    /// Reads those of an open connection; nil where `TCPStatistics` finds none.
    package init?(of socket: Int32) {
        guard let statistics = TCPStatistics(of: socket) else { return nil }
        acknowledged = statistics.bytesAcknowledged
        sent = statistics.bytesSent
        received = statistics.bytesReceived
        retransmitted = statistics.retransmissions
        // All ones before the first measurement.
        if statistics.minimumRoundTrip != UInt64(UInt32.max) {
            minimumRoundTrip = .microseconds(Int64(clamping: statistics.minimumRoundTrip))
        }
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
