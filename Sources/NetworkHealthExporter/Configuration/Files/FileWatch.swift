import Glibc
import Locking
import Posix

/// A thread that tells when one of some files may have changed, come or gone.
final class FileWatch: Sendable {
    struct Timings: Sendable {
        /// A burst of changes is told after so much silence.
        var quiet = Duration.milliseconds(200)
        /// The longest time that a burst holds up its telling.
        var longest = Duration.seconds(1)
        /// Looked at without a sign of a change: some file systems give none, and links in the way of a file hide it.
        var recheck = Duration.seconds(30)
    }

    private let patterns: @Sendable () -> [String]
    private let timings: Timings
    private let onChange: @Sendable () -> Void
    private let mailbox: Mailbox<Void>
    private let thread = Locked<LoopThread?>(nil)

    /// - Parameters:
    ///   - patterns: what to watch (`Glob`); asked again after each change and `refresh()`.
    ///   - timings: how long to wait.
    ///   - onChange: called on the thread, first of all when it begins to watch.
    /// - Throws: when no descriptor can be had.
    init(
        patterns: @escaping @Sendable () -> [String],
        timings: Timings = Timings(),
        onChange: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.patterns = patterns
        self.timings = timings
        self.onChange = onChange
        mailbox = try Mailbox(capacity: 1)
    }

    /// Starts the thread, once.
    func start() throws(SystemError) {
        try thread.withLock { (thread) throws(SystemError) in
            thread = try LoopThread(name: "file-watch") { [self] in run() }
        }
    }

    /// Looks at the patterns again.
    func refresh() { mailbox.wake() }

    /// Returns when the thread has ended: at once, but for a change that is being told.
    func stop() {
        mailbox.stop()
        thread.withLock { $0.take() }?.join()
    }

    private func run() {
        var watched: [String]?
        var watch: DirectoryWatch?
        while !mailbox.isStopped {
            let wanted = patterns()
            if wanted != watched {
                // Without inotify (a limit of the user's) they are looked at from time to time.
                watch = wanted.isEmpty ? nil : try? DirectoryWatch(patterns: wanted)
                watched = wanted
                // Nobody told what has changed before.
                onChange()
                continue
            }
            switch wait(for: watch, upTo: wanted.isEmpty ? nil : timings.recheck) {
            case .wakeup: continue
            case .change: settle(watch)
            case .nothing: watch?.watch()
            }
            onChange()
        }
    }

    private enum Event {
        case wakeup, change, nothing
    }

    private func wait(for watch: DirectoryWatch?, upTo timeout: Duration?) -> Event {
        let deadline = timeout.map { SuspendingClock.now + $0 }
        while true {
            var descriptors = [mailbox.number, watch?.number].compactMap(\.self).map { number in
                pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            }
            Poll.wait(for: &descriptors, upTo: deadline.map { max(.zero, SuspendingClock.now.duration(to: $0)) })
            if descriptors[0].revents != 0 {
                _ = mailbox.take()
                return .wakeup
            }
            if watch?.drain() ?? false { return .change }
            if let deadline, SuspendingClock.now >= deadline { return .nothing }
        }
    }

    /// Waits until the burst is over.
    private func settle(_ watch: DirectoryWatch?) {
        let end = SuspendingClock.now + timings.longest
        var isOver = false
        while !isOver {
            let rest = SuspendingClock.now.duration(to: end)
            isOver = rest <= .zero || wait(for: watch, upTo: min(timings.quiet, rest)) != .change
        }
    }
}
