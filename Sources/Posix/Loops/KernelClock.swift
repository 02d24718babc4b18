// Kernel headers bring the structure too, and an optimized build takes it from there.
package import CLinux
import Glibc

/// Reads the kernel's clocks (clock_gettime(2)).
package enum KernelClock {
    /// Nanoseconds of a clock; nil for one that the kernel does not have.
    ///
    /// In range for 64 bits: the kernel sets no clock to a time after 2232.
    package static func nanoseconds(of clock: clockid_t) -> Int64? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
