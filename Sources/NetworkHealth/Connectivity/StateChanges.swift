import Locking

/// What readers make of the core's states, each value once: an equal one after another is no news.
struct StateChanges<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    private let states: AsyncStream<HealthState>
    private let value: @Sendable (HealthState) -> Value?

    /// - Parameters:
    ///   - core: whose states are read, from now on.
    ///   - value: what is made of a state; nil says nothing.
    init(of core: HealthCore, _ value: @escaping @Sendable (HealthState) -> Value?) {
        states = core.states.values()
        self.value = value
    }

    func makeAsyncIterator() -> Iterator { Iterator(states: states.makeAsyncIterator(), value: value) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var states: AsyncStream<HealthState>.Iterator
        fileprivate let value: @Sendable (HealthState) -> Value?
        private var last: Value?

        fileprivate init(
            states: AsyncStream<HealthState>.Iterator,
            value: @escaping @Sendable (HealthState) -> Value?
        ) {
            self.states = states
            self.value = value
        }

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Value? {
            while let state = await states.next(isolation: actor) {
                guard let new = value(state), new != last else { continue }
                last = new
                return new
            }
            return nil
        }
    }
}
