// Kernel headers bring the structure too, and an optimized build takes it from there.
import CLinux
import Glibc

/// The clock of the kernel's time stamps.
package enum WallClock {
    /// Since the epoch (CLOCK_REALTIME); it may be set at any moment.
    package static var now: Duration {
        .nanoseconds(KernelClock.nanoseconds(of: CLOCK_REALTIME) ?? 0)
    }
}

extension WallClock {
    /// How far clocks in the process's time zone (`TZ`) were, are or will be ahead of UTC at an instant.
    ///
    /// - Parameter seconds: Since the epoch.
    /// - Returns: Seconds, positive in the east; 0 for a year outside the range of libc.
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

/// Reports each time the wall clock is set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET).
///
/// A resume from suspend sets it too. A clock that is only slewed (adjtime(3)) is not set.
package final class ClockWatch: Sendable {
    private let timer: Descriptor

    /// Watches from now on.
    package init() throws(SystemError) {
        timer = try Descriptor(owning: timerfd_create(CLOCK_REALTIME, Int32(NHE_TFD_FLAGS)), from: "timerfd_create")
        // Only a timer that is armed can be canceled; this one never expires.
        var never = itimerspec()
        never.it_value.tv_sec = .max
        guard timerfd_settime(timer.number, Int32(NHE_TFD_CANCEL_FLAGS), &never, nil) == 0 else {
            throw SystemError(call: "timerfd_settime", code: errno)
        }
    }

    /// For `poll`, which reports it readable after the clock was set, until `drain()`.
    package var number: Int32 { timer.number }

    /// Whether the clock was set since the last call.
    package func drain() -> Bool {
        var expirations: UInt64 = 0
        return read(timer.number, &expirations, MemoryLayout<UInt64>.size) < 0 && errno == ECANCELED
    }

    /// Calls `onSet` each time the clock is set, until the task is cancelled.
    ///
    /// - Parameter onSet: called on a thread of its own; it must not block.
    /// - Throws: where the kernel has no such timer, or no descriptor or thread is left.
    package static func run(_ onSet: @escaping @Sendable () -> Void) async throws(SystemError) {
        let watch = try ClockWatch()
        try await LoopThread.run(name: "clock") { signal in
            while !signal.isStopped {
                signal.wait(or: watch.number)
                if watch.drain() { onSet() }
            }
        }
    }
}
