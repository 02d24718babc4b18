// Kernel headers bring the structure too, and an optimized build takes it from there.
import CLinux
import Glibc

/// How long a thread has run: its processor time.
package struct ThreadClock: Sendable {
    private let id: clockid_t

    /// How long the calling thread has run (CLOCK_THREAD_CPUTIME_ID).
    package static var now: Duration {
        time(of: CLOCK_THREAD_CPUTIME_ID) ?? .zero
    }

    /// The calling thread's, to be read by other threads; nil where the system has none.
    package static func ofThisThread() -> ThreadClock? {
        var id = clockid_t()
        return pthread_getcpuclockid(pthread_self(), &id) == 0 ? ThreadClock(id: id) : nil
    }

    private init(id: clockid_t) { self.id = id }

    /// How long that thread has run; nil when it has ended.
    package var time: Duration? { Self.time(of: id) }

    private static func time(of id: clockid_t) -> Duration? {
        var time = timespec()
        guard clock_gettime(id, &time) == 0 else { return nil }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
