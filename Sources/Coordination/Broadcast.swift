/// One value for many readers: each gets the current one first, then every later one.
///
/// ```swift
/// let states = Broadcast<State>()
/// Task { for await state in states.values() { show(state) } }
/// states.send(.online)
/// ```
///
/// A slow reader keeps the newest 64; the others are not held up by it. One of events (``init(ofEvents:)``) has no current value, and
/// a reader of it that stops reading keeps the newest 4096.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var current: Element?
        var readers: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var nextReader: UInt64 = 0
        var isFinished = false
    }

    private let state: Locked<State>
    private let isOfEvents: Bool

    package init(_ current: Element? = nil) {
        state = Locked(State(current: current))
        isOfEvents = false
    }

    /// Events that a reader keeps until it reads them: a limit for one that stopped.
    package static var eventLimit: Int { 4096 }

    /// One without a current value: a reader gets every event from its begin on.
    package init(ofEvents: Element.Type) {
        state = Locked(State())
        isOfEvents = true
    }

    /// The latest value; nil before the first.
    package var current: Element? { state.withLock { $0.current } }

    /// How many read at this moment.
    package var readerCount: Int { state.withLock { $0.readers.count } }

    /// Makes `element` the current one and hands it out.
    package func send(_ element: Element) {
        let readers = state.withLock { state in
            if !isOfEvents { state.current = element }
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield(element) }
    }

    /// Has no current value any more; readers keep what they were given, and wait for the next.
    package func forget() {
        state.withLock { $0.current = nil }
    }

    /// Ends every stream, and those asked for later after their first value.
    package func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// A stream for one more reader; ends with the reader's task.
    ///
    /// - Parameter first: what the reader receives in place of the current value; called under the lock.
    /// - Returns: the current value, if there is one, and every later one.
    package func values(first: (Element) -> Element = { $0 }) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(
            bufferingPolicy: .bufferingNewest(isOfEvents ? Self.eventLimit : 64)
        )
        // Registered and given its first value under one lock, so that no `send` falls between or comes before it.
        // No task reads this stream yet, so yielding here resumes none.
        let reader: UInt64? = state.withLock { state in
            if let current = state.current { continuation.yield(first(current)) }
            guard !state.isFinished else { return nil }
            defer { state.nextReader += 1 }
            state.readers[state.nextReader] = continuation
            return state.nextReader
        }
        guard let reader else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [state] _ in
            state.withLock { _ = $0.readers.removeValue(forKey: reader) }
        }
        return stream
    }
}
