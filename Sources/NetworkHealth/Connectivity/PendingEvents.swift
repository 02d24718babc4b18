/// What callbacks are still to be told of, the oldest first; bounded, whatever holds them up.
///
/// At most 64 changes of the connection wait. One more cancels the last of them, since both together change nothing: the
/// latest state is always there, and so is a loss with its return, once instead of many times. A registration that was
/// removed meanwhile leaves nothing, so that the rest is bounded by the callbacks that there are.
struct PendingEvents {
    typealias Event = CallbackRounds.Event

    static let mostChanges = 64

    private(set) var events: [Event] = []
    /// The connection as the last event of it says.
    private var isConnected = false

    mutating func append(_ event: Event) {
        switch event {
        case .registered: events.append(event)
        case .removed(let id):
            if let index = events.firstIndex(of: .registered(id)) {
                events.remove(at: index)
            } else {
                events.append(event)
            }
        case .connected(let now):
            guard now != isConnected else { return }
            isConnected = now
            let changes = events.indices.filter { events[$0].isChange }
            if changes.count >= Self.mostChanges, let last = changes.last {
                events.remove(at: last)
            } else {
                events.append(event)
            }
        }
    }

    /// The oldest, which waits no more.
    mutating func next() -> Event? { events.isEmpty ? nil : events.removeFirst() }
}

extension CallbackRounds.Event {
    fileprivate var isChange: Bool {
        if case .connected = self { true } else { false }
    }
}
