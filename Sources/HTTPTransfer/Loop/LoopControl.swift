import Locking
import Posix

/// What a transfer loop is told by other threads.
final class LoopControl: Sendable {
    enum Command {
        case start(Transfer, CheckedContinuation<Transfer.Outcome, Never>)
        /// Its `wantedEnd` says why.
        case end(Transfer)
        /// A stream has room or bytes again.
        case resumeReceiving(Transfer)
        case resumeSending(Transfer)
    }

    private struct State {
        var commands: [Command] = []
        var isStopped = false
    }

    let wakeup: Wakeup
    private let state = Locked(State())

    init() throws(SystemError) {
        wakeup = try Wakeup()
    }

    /// Whether the loop will see it; false after `stop`.
    @discardableResult
    func post(_ command: Command) -> Bool {
        let isPosted = state.withLock { state in
            guard !state.isStopped else { return false }
            state.commands.append(command)
            return true
        }
        if isPosted { wakeup.signal() }
        return isPosted
    }

    /// Ends the loop.
    func stop() {
        state.withLock { $0.isStopped = true }
        wakeup.signal()
    }

    /// What was posted since, in order, and whether the loop shall end.
    func take() -> (commands: [Command], isStopped: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isStopped)
        }
    }
}
