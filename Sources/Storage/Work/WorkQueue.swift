import Locking
import Posix

/// What waits for the database's thread.
final class WorkQueue: Sendable {
    private struct State {
        var work: [any Work] = []
        var isClosed = false
        /// Whether the thread has closed the database.
        var hasEnded = false
        /// Those that wait for that.
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let file: String?
    private let signal: LoopSignal
    private let state = Locked(State())

    init(file: String?) throws(SystemError) {
        self.file = file
        signal = try LoopSignal()
    }

    var count: Int { state.withLock { $0.work.count } }

    /// Has it done; ends it with an error after `close`.
    func add(_ work: any Work) {
        let isAccepted = state.withLock { state in
            if !state.isClosed { state.work.append(work) }
            return !state.isClosed
        }
        if isAccepted { signal.wake() } else { work.end(StorageError.closed(file, work)) }
    }

    /// Waits for work and takes all there is, which is none when the time is over; nil after `close`.
    func next(upTo timeout: Duration?) -> [any Work]? {
        if !signal.isStopped, count == 0 { signal.wait(upTo: timeout) }
        guard !signal.isStopped else { return nil }
        return state.withLock { state in
            defer { state.work = [] }
            return state.work
        }
    }

    /// Ends with an error what waits, and lets the thread end; may be repeated.
    func close() {
        let work = state.withLock { state in
            defer { state.work = [] }
            state.isClosed = true
            return state.work
        }
        for work in work { work.end(StorageError.closed(file, work)) }
        signal.stop()
    }

    /// Returns when the thread has said that it has ended, even where the task is cancelled.
    func waitForEnd() async {
        await withCheckedContinuation { closer in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.closers.append(closer) }
                return state.hasEnded
            }
            if hasEnded { closer.resume() }
        }
    }

    /// For the thread to say that it has closed the database.
    func end() {
        let closers = state.withLock { state in
            defer { state.closers = [] }
            state.hasEnded = true
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}
