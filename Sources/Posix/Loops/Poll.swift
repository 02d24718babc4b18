import CLinux
package import Glibc

/// ppoll(2), which waits for one of several descriptors.
package enum Poll {
    /// Waits until one of `descriptors` is ready or the time is over; an interrupted wait returns early.
    ///
    /// The timeout is rounded up to a nanosecond, so that a deadline has passed afterwards; nil waits for ever.
    package static func wait(for descriptors: inout [pollfd], upTo timeout: Duration?) {
        for index in descriptors.indices { descriptors[index].revents = 0 }
        let count = UInt(descriptors.count)
        if let timeout {
            var limit = timespec(timeout)
            _ = nhe_poll(&descriptors, count, &limit)
        } else {
            _ = nhe_poll(&descriptors, count, nil)
        }
    }

    /// Waits until `descriptor` can be read or the time is over; true when it can.
    @discardableResult
    package static func wait(for descriptor: Int32, upTo timeout: Duration) -> Bool {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        wait(for: &descriptors, upTo: timeout)
        return descriptors[0].revents != 0
    }
}

extension timespec {
    /// Rounded up, from 0 to 10,000,000 seconds.
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = min(max(duration, .zero), .seconds(10_000_000)).components
        self.init(tv_sec: time_t(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        if attoseconds % 1_000_000_000 > 0 { tv_nsec += 1 }
        if tv_nsec == 1_000_000_000 { (tv_sec, tv_nsec) = (tv_sec + 1, 0) }
    }
}

extension Duration {
    /// For poll(2) and the like: rounded up, so that a deadline has passed afterwards; from 0 to Int32.max.
    package var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let rounded = min(seconds, 10_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: max(0, rounded))
    }
}

/// An event descriptor (eventfd(2)) that ends another thread's `poll`.
package struct Wakeup: ~Copyable, Sendable {
    private let descriptor: Descriptor

    package init() throws(SystemError) {
        descriptor = try Descriptor(owning: eventfd(0, Int32(NHE_EFD_FLAGS)), from: "eventfd")
    }

    /// For `poll`, which reports it readable after `signal()`.
    package var number: Int32 { descriptor.number }

    /// Wakes the waiting thread; safe from any thread, and from a signal handler.
    package func signal() {
        var one: UInt64 = 1
        _ = write(descriptor.number, &one, MemoryLayout<UInt64>.size)
    }

    /// Forgets the signals so far.
    package func drain() {
        var count: UInt64 = 0
        _ = read(descriptor.number, &count, MemoryLayout<UInt64>.size)
    }
}
