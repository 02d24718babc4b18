// Kernel headers bring the structure too, and an optimized build takes it from there.
import CLinux
import Glibc

/// What a thread did with its time, and for how long it has run.
package struct ThreadClock: Sendable {
    /// The time in which a thread had work.
    package struct Reading: Sendable, Equatable {
        /// On a processor.
        package var ran: Duration
        /// Runnable, but without a processor; nil where the kernel does not count it.
        package var waited: Duration?

        package init(ran: Duration, waited: Duration?) { (self.ran, self.waited) = (ran, waited) }

        /// The time in which it did not sleep, as far as that is known.
        package var busy: Duration { ran + (waited ?? .zero) }
    }

    private let id: clockid_t
    /// Its folder below /proc, `PID/task/TID`.
    private let folder: String

    /// How long the calling thread has run (CLOCK_THREAD_CPUTIME_ID).
    package static var now: Duration {
        time(of: CLOCK_THREAD_CPUTIME_ID) ?? .zero
    }

    /// The calling thread's, to be read by other threads; nil where the system has none.
    package static func ofThisThread() -> ThreadClock? {
        var id = clockid_t()
        return pthread_getcpuclockid(pthread_self(), &id) == 0 ? ThreadClock(id: id) : nil
    }

    private init(id: clockid_t) {
        self.id = id
        folder = SymbolicLink.destination(of: "/proc/thread-self") ?? ""
    }

    /// What that thread has done so far; nil when it has ended.
    package var reading: Reading? { Self.time(of: id).map { Reading(ran: $0, waited: waited) } }

    /// The second number of `/proc/PID/task/TID/schedstat` (Documentation/scheduler/sched-stats.rst), in nanoseconds.
    private var waited: Duration? {
        let numbers = SmallFile.line("/proc/\(folder)/schedstat")?.split(separator: " ") ?? []
        guard numbers.count == 3, let waited = Int64(numbers[1]), waited >= 0 else { return nil }
        return .nanoseconds(waited)
    }

    private static func time(of id: clockid_t) -> Duration? {
        KernelClock.nanoseconds(of: id).map { .nanoseconds($0) }
    }
}
