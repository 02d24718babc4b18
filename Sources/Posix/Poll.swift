package import Glibc

/// poll(2), which waits for one of several descriptors.
package enum Poll {
    /// Waits until one of `descriptors` is ready or the time is over; an interrupted wait returns early.
    ///
    /// The timeout is rounded up to a millisecond, so that a deadline has passed afterwards; nil waits for ever.
    package static func wait(for descriptors: inout [pollfd], upTo timeout: Duration?) {
        let milliseconds = timeout.map(\.pollMilliseconds) ?? -1
        for index in descriptors.indices { descriptors[index].revents = 0 }
        _ = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }

    /// Waits until `descriptor` can be read or the time is over; true when it can.
    @discardableResult
    package static func wait(for descriptor: Int32, upTo timeout: Duration) -> Bool {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        wait(for: &descriptors, upTo: timeout)
        return descriptors[0].revents != 0
    }
}

extension Duration {
    /// For poll(2) and epoll_wait(2): rounded up, so that a deadline has passed afterwards; never negative.
    var pollMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let rounded = min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: max(0, rounded))
    }
}
