import CLinux
import Glibc

/// Bytes of IP packets in each direction, as far as they are known.
package struct CarriedBytes: Sendable, Equatable {
    package struct Bounds: Sendable, Equatable {
        /// What this host and the other side have of it: payload of TCP in order.
        package var least: UInt64 = 0
        /// What can have been carried at most.
        package var most: UInt64 = 0

        package init(least: UInt64 = 0, most: UInt64 = 0) { (self.least, self.most) = (least, most) }

        /// A count by another measure, within these bounds; the most without one.
        package func nearest(to count: UInt64?) -> UInt64 { min(max(count ?? most, least), max(most, least)) }

        fileprivate mutating func add(_ other: Bounds) {
            least &+= other.least
            most &+= other.most
        }

        fileprivate func since(_ earlier: Bounds) -> Bounds {
            Bounds(least: least - min(earlier.least, least), most: most - min(earlier.most, most))
        }
    }

    package var received = Bounds()
    package var sent = Bounds()

    package init() {}

    /// A count that is exact.
    package init(received: UInt64, sent: UInt64) {
        self.received = Bounds(least: received, most: received)
        self.sent = Bounds(least: sent, most: sent)
    }

    package mutating func add(_ other: CarriedBytes) {
        received.add(other.received)
        sent.add(other.sent)
    }

    package static func + (first: Self, second: Self) -> Self {
        var sum = first
        sum.add(second)
        return sum
    }

    /// What has been added since an earlier reading.
    package func since(_ earlier: Self) -> Self {
        var rest = self
        (rest.received, rest.sent) = (received.since(earlier.received), sent.since(earlier.sent))
        return rest
    }
}

/// Follows what one TCP connection carries as bytes of IP packets: headers, repetitions and segments without payload
/// included.
///
/// The kernel counts the segments of a connection, and the payload in order. Of what was sent it also has the payload of
/// repetitions (tcpi_bytes_sent), whether or not a queue of this host has dropped them; what has arrived twice or beyond a
/// hole it counts as segments.
package struct ConnectionBytes: Sendable {
    package private(set) var carried = CarriedBytes()
    /// The largest share of the bytes of full segments that was payload in order: that of a moment without a hole.
    private var fullness = 0.0
    private var lastHeader: UInt64 = 0
    private var lastSegment: UInt64 = 0
    /// What may be under way to this host.
    package private(set) var underWay: UInt64 = 0

    /// Below so many bytes most segments are not full.
    private static let bulk: UInt64 = 65_536
    /// The options of a segment that reports three ranges beyond a hole (RFC 2018).
    private static let selective: UInt64 = 28
    /// What the options of a SYN have more than those of other segments.
    private static let synchronizing: UInt64 = 8

    package init() {}

    /// Takes a reading of the connection's counters.
    package mutating func read(_ statistics: TCPStatistics, isIPv6: Bool) {
        let header: UInt64 = (isIPv6 ? 40 : 20) + 20 + (statistics.hasTimestamps ? 12 : 0)
        let segments = statistics.segmentBytes
        if segments >= Self.bulk {
            fullness = max(fullness, min(1, Double(statistics.bytesReceived) / Double(segments)))
        }
        let arrived = max(statistics.bytesReceived, UInt64(fullness * Double(segments)))
        let acknowledgements = (
            received: statistics.segmentsReceived - min(statistics.segmentsReceived, statistics.dataSegmentsReceived),
            sent: statistics.segmentsSent - min(statistics.segmentsSent, statistics.dataSegmentsSent)
        )
        // How many of the other side's report a hole is not counted.
        let holes = (
            received: statistics.retransmissions > 0 ? acknowledgements.received : 0,
            sent: min(acknowledgements.sent, statistics.segmentsOutOfOrder)
        )
        let received = CarriedBytes.Bounds(
            least: statistics.bytesReceived,
            most: arrived &+ statistics.segmentsReceived &* header &+ holes.received &* Self.selective
        )
        let sent = CarriedBytes.Bounds(
            least: statistics.bytesAcknowledged,
            most: statistics.bytesSent &+ statistics.segmentsSent &* header &+ holes.sent &* Self.selective
        )
        // A count of 32 bits may begin anew.
        carried.received.least = max(carried.received.least, received.least)
        carried.received.most = max(carried.received.most, received.most)
        carried.sent.least = max(carried.sent.least, sent.least)
        carried.sent.most = max(carried.sent.most, sent.most)
        (lastHeader, lastSegment) = (header, max(1, statistics.receivedSegmentSize))
        underWay = statistics.isEstablished ? statistics.receivedInRoundTrip : 0
    }

    /// Adds what may come after the last reading: each side ends the connection, and what is under way to this host arrives,
    /// each segment of it answered by a reset.
    ///
    /// - Parameter rest: what is still to come of an answer; nil: not known, 0: nothing.
    package mutating func end(rest: UInt64?) {
        guard lastHeader > 0 else { return }
        let segments = (min(underWay, rest ?? .max) + lastSegment - 1) / lastSegment
        let goodbye = 2 * lastHeader + Self.synchronizing
        carried.received.most &+= goodbye &+ segments &* (lastSegment + lastHeader)
        carried.sent.most &+= goodbye &+ segments &* lastHeader
    }
}

extension ConnectionBytes {
    /// Reads the counters of an open connection.
    package mutating func read(_ socket: Int32) {
        guard let statistics = TCPStatistics(of: socket) else { return }
        read(statistics, isIPv6: SocketOptions.isIPv6(socket))
    }
}

extension SocketOptions {
    /// Whether the packets of a socket are those of IPv6 (SO_DOMAIN).
    package static func isIPv6(_ socket: Int32) -> Bool {
        var (domain, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_INET6
    }
}
