// Kernel headers bring the structure too, and an optimized build takes it from there.
import CLinux
import Glibc

/// How long the calling thread has run.
package enum ThreadClock {
    /// Processor time (CLOCK_THREAD_CPUTIME_ID).
    package static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
