// Kernel headers bring the structure too, and an optimized build takes it from there.
import CLinux
import Glibc

extension WallClock {
    /// How far clocks in the process's time zone (`TZ`) were, are or will be ahead of UTC at an instant.
    ///
    /// - Parameter seconds: Since the epoch.
    /// - Returns: Seconds, positive in the east; 0 for a year that libc cannot tell.
    package static func offset(at seconds: Int) -> Int {
        var instant = time_t(seconds)
        var fields = tm()
        return localtime_r(&instant, &fields) == nil ? 0 : fields.tm_gmtoff
    }

    /// Makes a zone the one of the whole process.
    ///
    /// Not while other threads run: they may read the environment.
    package static func setZone(_ name: String) {
        setenv("TZ", name, 1)
        tzset()
    }
}
