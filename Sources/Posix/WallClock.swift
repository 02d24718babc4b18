// Kernel headers bring the structure too, and an optimized build takes it from there.
import CLinux
import Glibc

/// The clock of the kernel's time stamps.
package enum WallClock {
    /// Since the epoch (CLOCK_REALTIME); somebody may set it at any moment.
    package static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
