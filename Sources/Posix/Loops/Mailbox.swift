import Coordination
import Glibc

/// Messages from any thread to the one thread that waits for them in `poll`, and the request that it stops.
///
/// A loop waits until `number` is readable, with `wait` or in a `poll` of its own, and calls `take`.
package final class Mailbox<Message: Sendable>: Sendable {
    /// What becomes of a message.
    package enum Delivery: Sendable {
        /// The loop takes it.
        case accepted
        /// As many messages as the capacity allows are waiting: the message is dropped.
        case full
        /// The loop has been stopped: the message is dropped.
        case stopped
    }

    private struct State {
        var messages: [Message] = []
        var isStopped = false
        /// Whether the event descriptor is readable.
        var isSignalled = false
    }

    private let capacity: Int
    private let wakeup: Wakeup
    private let state = Locked(State())

    /// - Parameter capacity: how many messages may wait, follow-ups not counted.
    /// - Throws: when no descriptor is left.
    package init(capacity: Int) throws(SystemError) {
        self.capacity = capacity
        wakeup = try Wakeup()
    }

    /// For `poll`, which reports it readable while messages wait, and always after `stop`.
    package var number: Int32 { wakeup.number }

    /// Whether the loop shall end.
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// How many messages wait.
    package var count: Int { state.withLock { $0.messages.count } }

    /// Adds a message at the end.
    ///
    /// - Parameters:
    ///   - message: dropped unless the result is `accepted`.
    ///   - isFollowUp: accepted beyond the capacity. For a message that concerns one accepted earlier, such as its
    ///     cancellation: the poster bounds how many there are.
    ///   - isReplaced: which of the waiting messages the new one makes void. Called under the lock.
    /// - Returns: what became of the message.
    @discardableResult
    package func post(
        _ message: Message,
        isFollowUp: Bool = false,
        replacing isReplaced: (Message) -> Bool = { _ in false }
    ) -> Delivery {
        state.withLock { state in
            guard !state.isStopped else { return .stopped }
            // What replaces another message takes its place.
            let limit = max(capacity, state.messages.count)
            state.messages.removeAll(where: isReplaced)
            guard isFollowUp || state.messages.count < limit else { return .full }
            state.messages.append(message)
            signal(&state)
            return .accepted
        }
    }

    /// Asks the loop to end; later messages are refused.
    ///
    /// It may be repeated.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            signal(&state)
        }
    }

    /// Removes and returns all waiting messages, the oldest first.
    ///
    /// With `isStopped` they are the last ones: no message is accepted afterwards. Then any thread may take them, to
    /// refuse what waits while the loop is busy.
    package func take() -> (messages: [Message], isStopped: Bool) {
        state.withLock { state in
            if state.isSignalled, !state.isStopped {
                wakeup.drain()
                state.isSignalled = false
            }
            defer { state.messages = [] }
            return (state.messages, state.isStopped)
        }
    }

    /// Waits for a message, for `stop`, for a descriptor to be readable, or until the time is over; nil waits for ever.
    ///
    /// Returns at once while messages wait. Blocks: never call it on the cooperative pool.
    package func wait(or descriptor: Int32? = nil, upTo timeout: Duration? = nil) {
        var descriptors = [wakeup.number, descriptor].compactMap(\.self).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        Poll.wait(for: &descriptors, upTo: timeout.map { max($0, .zero) })
    }

    private func signal(_ state: inout State) {
        guard !state.isSignalled else { return }
        state.isSignalled = true
        wakeup.signal()
    }
}

/// A mailbox for a loop that receives no messages, only the request to stop.
package typealias LoopSignal = Mailbox<Never>

extension Mailbox where Message == Never {
    /// - Throws: when no descriptor is left.
    package convenience init() throws(SystemError) { try self.init(capacity: 0) }
}

extension Mailbox where Message == Void {
    /// Ends the loop's wait; with a capacity of one, several calls before `take` are one message.
    package func wake() { post(()) }
}
