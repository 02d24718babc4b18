import Glibc
import Posix

/// Sends the datagrams of one socket whose departures the kernel time-stamps: it numbers the stamps in the order of the calls, so
/// all calls are made under one lock.
struct TimestampedSender: Sendable {
    /// A datagram that was sent, or was not.
    struct Sent: Sendable {
        /// Before the call.
        var times: EchoTimes
        /// The number of the time stamp that is to come.
        var key: UInt32
        /// The errno; 0: sent.
        var code: Int32
        /// The numbers have started again: those of earlier datagrams are to be forgotten.
        var hasRestarted: Bool
    }

    private var nextKey: UInt32 = 0

    /// Sends once, and once more after an error, which may be that of an earlier datagram and is cleared now.
    mutating func send(
        _ bytes: [UInt8],
        to destination: SocketAddress,
        over descriptor: borrowing Descriptor
    ) -> Sent {
        var (times, code) = Self.transmit(bytes, to: destination, over: descriptor)
        let hasFailed = code != 0
        if hasFailed {
            // It is unknown whether the kernel has counted it.
            restart(descriptor)
            (times, code) = Self.transmit(bytes, to: destination, over: descriptor)
            if code != 0 { restart(descriptor) }
        }
        let key = nextKey
        if code == 0 { nextKey &+= 1 }
        return Sent(times: times, key: key, code: code, hasRestarted: hasFailed)
    }

    private mutating func restart(_ descriptor: borrowing Descriptor) {
        try? descriptor.setTimestamps(false)
        try? descriptor.setTimestamps(true)
        nextKey = 0
    }

    private static func transmit(
        _ bytes: [UInt8],
        to destination: SocketAddress,
        over descriptor: borrowing Descriptor
    ) -> (times: EchoTimes, code: Int32) {
        let times = EchoTimes(sentAt: .now, sentWallTime: WallClock.now)
        let number = descriptor.number
        let code = destination.withPointer { address, length in
            sendto(number, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length) < 0 ? errno : 0
        }
        return (times, code)
    }
}
