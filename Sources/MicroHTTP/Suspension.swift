import CMicroHTTPD
import Coordination

/// A suspended connection, and the task that resumes it.
///
/// `resume` before `suspend` is remembered, so that no wake-up is lost between the check and the suspension.
final class Suspension: Sendable {
    private struct State {
        /// Set while libmicrohttpd has it suspended.
        var sleeper: ConnectionHandle?
        var isWakeupPending = false
        var isAborted = false
        var task: Task<Void, Never>?
    }

    private let state = Locked(State())

    /// Whether the client has gone or the server stops.
    var isAborted: Bool { state.withLock { $0.isAborted } }

    /// Whether the connection is suspended.
    var isSuspended: Bool { state.withLock { $0.sleeper != nil } }

    /// On the event thread: suspends, unless there was a wake-up since the last time; returns whether it is suspended.
    func suspend(_ connection: ConnectionHandle) -> Bool {
        state.withLock { state in
            if state.isWakeupPending || state.isAborted {
                state.isWakeupPending = false
                return false
            }
            MHD_suspend_connection(connection.pointer)
            state.sleeper = connection
            return true
        }
    }

    /// Resumes the connection; from any thread.
    func resume() {
        state.withLock { Self.wake(&$0) }
    }

    /// Sets the task that `abort` cancels.
    func own(_ task: Task<Void, Never>) {
        let isAborted = state.withLock { state in
            state.task = task
            return state.isAborted
        }
        if isAborted { task.cancel() }
    }

    /// Cancels the task, whose result is no longer needed.
    func cancelTask() { state.withLock { $0.task.take() }?.cancel() }

    /// Ends the wait for good: resumes the connection, which then closes, and cancels the task; from any thread.
    func abort() {
        let task = state.withLock { state in
            state.isAborted = true
            Self.wake(&state)
            defer { state.task = nil }
            return state.task
        }
        task?.cancel()
    }

    // Called under the lock, so that a stop cannot see the connection as resumed before it is. libmicrohttpd calls us
    // with its own lock held only at the end of an upgraded connection, which nothing resumes any more.
    private static func wake(_ state: inout State) {
        if let sleeper = state.sleeper {
            state.sleeper = nil
            MHD_resume_connection(sleeper.pointer)
        } else {
            state.isWakeupPending = true
        }
    }
}

/// libmicrohttpd's connection, valid while a callback for it runs or while it is suspended.
// Sendable by proof: off the event thread it is only handed to MHD_resume_connection, which takes a lock.
struct ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}
