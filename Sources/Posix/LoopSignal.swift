import Glibc
import Locking

/// Tells a loop on another thread that it shall end, or that there is something to do.
package final class LoopSignal: Sendable {
    private let wakeup: Wakeup
    private let stopped = Locked(false)

    package init() throws(SystemError) {
        wakeup = try Wakeup()
    }

    /// Whether the loop shall end.
    package var isStopped: Bool { stopped.withLock { $0 } }

    /// For a loop's own `poll`, which reports it readable after a signal, until `wait` forgets it.
    package var number: Int32 { wakeup.number }

    /// Ends the loop's wait, and with that the loop.
    package func stop() {
        stopped.withLock { $0 = true }
        wakeup.signal()
    }

    /// Ends the loop's wait.
    package func wake() { wakeup.signal() }

    /// Waits for a signal, for a descriptor to be readable, or until the time is over; nil waits for ever.
    ///
    /// Signals sent while nobody waited end the wait at once. Blocks: never call it on the cooperative pool.
    package func wait(or descriptor: Int32? = nil, upTo timeout: Duration? = nil) {
        var descriptors = [wakeup.number, descriptor].compactMap(\.self).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        Poll.wait(for: &descriptors, upTo: timeout.map { max($0, .zero) })
        wakeup.drain()
    }
}
