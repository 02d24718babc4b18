import Locking
import Posix

/// What waits for the database's thread.
final class WorkQueue: Sendable {
    private struct State {
        var work: [any Work] = []
        var isClosed = false
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
        if isAccepted { signal.wake() } else { work.end(.closed(file)) }
    }

    /// Waits for work and takes all there is; nil after `close`.
    func next() -> [any Work]? {
        while !signal.isStopped {
            let work = state.withLock { state in
                defer { state.work = [] }
                return state.work
            }
            if !work.isEmpty { return work }
            signal.wait()
        }
        return nil
    }

    /// Ends with an error what waits, and lets the thread end; may be repeated.
    func close() {
        let work = state.withLock { state in
            defer { state.work = [] }
            state.isClosed = true
            return state.work
        }
        for work in work { work.end(.closed(file)) }
        signal.stop()
    }
}
