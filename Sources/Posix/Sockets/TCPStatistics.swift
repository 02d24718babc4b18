// Kernel headers bring the constants too, and an optimized build takes them from there.
import CLinux
import Glibc

/// What the kernel knows of a TCP connection (TCP_INFO).
package struct TCPStatistics: Sendable, Equatable {
    /// Smoothed, in microseconds; 0 before there was one.
    package var roundTrip: UInt64
    package var roundTripVariation: UInt64
    /// The smallest of the last minutes, in microseconds.
    package var minimumRoundTrip: UInt64
    /// Segments sent again.
    package var retransmissions: UInt64
    /// Payload that the other side has acknowledged; TLS and HTTP are payload here.
    package var bytesAcknowledged: UInt64
    /// Payload that it has beyond a hole (SACK): as many whole segments.
    package var bytesBeyondHole: UInt64
    /// Payload that has arrived in order, read or not.
    package var bytesReceived: UInt64
    /// Segments with payload that have arrived, in order or beyond a hole, repetitions included (tcpi_data_segs_in).
    ///
    /// Segments that the device joined before the kernel saw them may count as one.
    package var dataSegmentsReceived: UInt64
    /// The payload of a full segment that arrives (tcpi_rcv_mss), an estimate of the kernel; 536 before the first one.
    package var receivedSegmentSize: UInt64
    /// Payload sent, each repetition included.
    package var bytesSent: UInt64
    package var bytesRetransmitted: UInt64
    /// Microseconds with data to send, and of those how long the receiver and our own buffer held it up.
    package var busyTime: UInt64
    package var receiverLimited: UInt64
    package var senderLimited: UInt64
    /// Bytes a second, by the kernel's estimate.
    package var deliveryRate: UInt64
    /// Segments that may be on their way.
    package var congestionWindow: UInt64
    /// Neither side has ended or reset it (TCP_ESTABLISHED).
    package var isEstablished: Bool
    /// Each segment has a time stamp, of 12 bytes (TCPI_OPT_TIMESTAMPS).
    package var hasTimestamps: Bool
    /// All segments, those without payload included (tcpi_segs_in, tcpi_segs_out).
    package var segmentsReceived: UInt64
    package var segmentsSent: UInt64
    package var dataSegmentsSent: UInt64
    /// Of the received ones, those that arrived beyond a hole (tcpi_rcv_ooopack); 0 before Linux 5.4.
    package var segmentsOutOfOrder: UInt64
    /// The most that a program has read in one round trip (tcpi_rcv_space): about what the sender had on its way.
    package var receivedInRoundTrip: UInt64

    /// Payload that has left, repetitions not counted.
    package var bytesTransmitted: UInt64 {
        max(bytesAcknowledged, bytesSent >= bytesRetransmitted ? bytesSent - bytesRetransmitted : 0)
    }

    /// The segments that have arrived, each as the payload of a full one.
    package var segmentBytes: UInt64 { dataSegmentsReceived * receivedSegmentSize }

    /// - Returns: nil where it is no TCP socket, or the kernel older than 4.19, whose structure ends earlier.
    package init?(of socket: Int32) {
        let read = withUnsafeTemporaryAllocation(byteCount: Self.wantedByteCount, alignment: 8) { info -> Self? in
            var length = socklen_t(info.count)
            guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &length) == 0 else { return nil }
            let filled = UnsafeRawBufferPointer(rebasing: info[..<min(Int(length), info.count)])
            return Self(parsing: filled.bytes)
        }
        guard let read else { return nil }
        self = read
    }

    /// Reads `struct tcp_info` of linux/tcp.h, which only ever grows.
    package init?(parsing info: RawSpan) {
        guard info.byteCount >= Self.byteCount else { return nil }
        func short(_ offset: Int) -> UInt64 {
            UInt64(info.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        func long(_ offset: Int) -> UInt64 { info.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        roundTrip = short(68)
        roundTripVariation = short(72)
        congestionWindow = short(80)
        bytesBeyondHole = short(16) * short(28)
        retransmissions = short(100)
        bytesAcknowledged = long(120)
        bytesReceived = long(128)
        receivedSegmentSize = short(20)
        dataSegmentsReceived = short(152)
        minimumRoundTrip = short(148)
        deliveryRate = long(160)
        busyTime = long(168)
        receiverLimited = long(176)
        senderLimited = long(184)
        bytesSent = long(200)
        bytesRetransmitted = long(208)
        isEstablished = info.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt8.self) == 1
        hasTimestamps = info.unsafeLoadUnaligned(fromByteOffset: 5, as: UInt8.self) & 1 != 0
        segmentsReceived = short(140)
        segmentsSent = short(136)
        dataSegmentsSent = short(156)
        receivedInRoundTrip = short(96)
        segmentsOutOfOrder = info.byteCount >= Self.wantedByteCount ? short(224) : 0
    }

    /// Up to tcpi_bytes_retrans and with it.
    private static let byteCount = 216
    /// Up to tcpi_rcv_ooopack and with it.
    private static let wantedByteCount = 228
}

/// What the kernel counts of one TCP connection, or the sum of several.
package struct TCPCounters: Sendable, Equatable {
    /// Payload that the other side has acknowledged (tcpi_bytes_acked).
    package var acknowledged: UInt64 = 0
    /// Payload that was sent, repetitions included (tcpi_bytes_sent).
    package var sent: UInt64 = 0
    /// Payload that has arrived in order, read or not (tcpi_bytes_received).
    package var received: UInt64 = 0
    /// The segments that have arrived, each as the payload of a full one: those beyond a hole and repetitions included.
    package var segments: UInt64 = 0
    /// The payload of a full one that arrives (tcpi_rcv_mss), the largest of all connections; 0: not known.
    package var segmentSize: UInt64 = 0
    /// Payload that the other side has beyond a hole at this moment: not a count, it falls when the hole is filled.
    package var beyondHole: UInt64 = 0
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
        segments = statistics.segmentBytes
        segmentSize = statistics.receivedSegmentSize
        beyondHole = statistics.bytesBeyondHole
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
        sum.segments &+= second.segments
        sum.segmentSize = max(first.segmentSize, second.segmentSize)
        sum.beyondHole &+= second.beyondHole
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
        rest.segments &-= min(earlier.segments, segments)
        rest.retransmitted &-= min(earlier.retransmitted, retransmitted)
        return rest
    }
}
