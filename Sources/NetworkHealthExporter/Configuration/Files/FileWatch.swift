import Glibc
import Posix

/// A thread that reports when one of some files may have changed, appeared or disappeared.
final class FileWatch: Sendable {
    struct Timings: Sendable {
        /// A burst of changes is reported when none followed for so long.
        var quiet = Duration.milliseconds(200)
        /// A burst is reported after this time at the latest.
        var max = Duration.seconds(1)
        /// How often the files count as changed without an event: some file systems send none, and a link in the path of a
        /// file hides it.
        var recheck = Duration.seconds(30)
    }

    private let patterns: @Sendable () -> [String]
    private let timings: Timings
    private let onChange: @Sendable () -> Void
    private let refreshed: Wakeup

    /// - Parameters:
    ///   - patterns: what to watch (`Glob`); read again after each change and `refresh()`.
    ///   - timings: how long to wait.
    ///   - onChange: called on the thread, first of all when it begins to watch.
    /// - Throws: when no descriptor is left.
    init(
        patterns: @escaping @Sendable () -> [String],
        timings: Timings = Timings(),
        onChange: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.patterns = patterns
        self.timings = timings
        self.onChange = onChange
        refreshed = try Wakeup()
    }

    /// Reads the patterns again.
    func refresh() { refreshed.signal() }

    /// Watches until the calling task is cancelled; returns when the thread has ended, at most one call of `onChange` later.
    ///
    /// - Throws: when no thread or descriptor is left.
    func run() async throws(SystemError) {
        try await LoopThread.run(name: "file-watch") { self.watch(until: $0) }
    }

    private func watch(until signal: LoopSignal) {
        var watched: [String]?
        var watch: DirectoryWatch?
        while !signal.isStopped {
            let wanted = patterns()
            if wanted != watched {
                // Where no inotify watch is left (a limit of the user's), only `recheck` finds changes.
                watch = wanted.isEmpty ? nil : try? DirectoryWatch(patterns: wanted)
                watched = wanted
                // Earlier changes were not watched.
                onChange()
                continue
            }
            switch wait(for: watch, or: signal, upTo: wanted.isEmpty ? nil : timings.recheck) {
            case .wakeup: continue
            case .change: settle(watch, until: signal)
            case .nothing: watch?.watch()
            }
            onChange()
        }
    }

    private enum Event {
        case wakeup, change, nothing
    }

    private func wait(for watch: DirectoryWatch?, or signal: LoopSignal, upTo timeout: Duration?) -> Event {
        let deadline = timeout.map { SuspendingClock.now + $0 }
        while true {
            var descriptors = [signal.number, refreshed.number, watch?.number].compactMap(\.self).map { number in
                pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            }
            Poll.wait(for: &descriptors, upTo: deadline.map { max(.zero, SuspendingClock.now.duration(to: $0)) })
            if descriptors[0].revents != 0 { return .wakeup }
            if descriptors[1].revents != 0 {
                refreshed.drain()
                return .wakeup
            }
            if watch?.drain() ?? false { return .change }
            if let deadline, SuspendingClock.now >= deadline { return .nothing }
        }
    }

    /// Waits until the burst is over.
    private func settle(_ watch: DirectoryWatch?, until signal: LoopSignal) {
        let end = SuspendingClock.now + timings.max
        var isOver = false
        while !isOver {
            let rest = SuspendingClock.now.duration(to: end)
            isOver = rest <= .zero || wait(for: watch, or: signal, upTo: min(timings.quiet, rest)) != .change
        }
    }
}
