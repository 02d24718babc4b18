import Coordination
import Dispatch

/// What a lab thread asks of the thread that waits for it.
///
/// Programs, and the threads that starting one may start, must not inherit the lab thread's namespace and user.
final class Errand: Sendable {
    private struct State {
        var work: (@Sendable () throws -> Void)?
        var failure: (any Error)?
    }

    private let state = Locked(State())
    private let isAsked = DispatchSemaphore(value: 0)
    private let isDone = DispatchSemaphore(value: 0)

    /// Has `work` done by the thread in `serve`.
    func send(_ work: @escaping @Sendable () throws -> Void) throws {
        state.withLock { $0 = State(work: work) }
        isAsked.signal()
        isDone.wait()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Lets `serve` return.
    func end() {
        state.withLock { $0 = State() }
        isAsked.signal()
    }

    /// Does what is asked for, until `end`.
    func serve() {
        while true {
            isAsked.wait()
            guard let work = state.withLock({ $0.work }) else { return }
            do {
                try work()
            } catch {
                state.withLock { $0.failure = error }
            }
            isDone.signal()
        }
    }
}
