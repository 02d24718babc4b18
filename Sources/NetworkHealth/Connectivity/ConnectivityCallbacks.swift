import FoundationEssentials

/// Decides who is told what: each once at its registration when the connection is there, then once at each change.
struct CallbackRounds {
    /// What happened, in this order.
    enum Event: Sendable, Equatable {
        case registered(UUID)
        case removed(UUID)
        case connected(Bool)
    }

    /// Whom to tell, in the order of their registration, and what.
    struct Round: Equatable {
        var callbacks: [UUID]
        var isConnected: Bool
    }

    private var callbacks: [UUID] = []
    /// False before the first complete evaluation: nobody had a connection to lose.
    private var isConnected = false

    /// The round that follows from an event, if any.
    mutating func apply(_ event: Event) -> Round? {
        switch event {
        case .registered(let id):
            callbacks.append(id)
            return isConnected ? Round(callbacks: [id], isConnected: true) : nil
        case .removed(let id):
            callbacks.removeAll { $0 == id }
            return nil
        case .connected(let now):
            guard now != isConnected else { return nil }
            isConnected = now
            return Round(callbacks: callbacks, isConnected: now)
        }
    }
}

/// Who is told that the connection came or went.
enum ConnectivityCallback: Sendable {
    case restored(@Sendable () -> Void)
    case lost(@Sendable () -> Void)
    /// Both, for as long as it lives.
    case observer(WeakObserver)

    struct WeakObserver: Sendable {
        weak let object: (any ConnectivityAware)?
        /// Tells it from others without holding any of them, even for a moment.
        let identifier: ObjectIdentifier

        init(_ object: any ConnectivityAware) {
            self.object = object
            identifier = ObjectIdentifier(object)
        }
    }

    /// Whether the object behind it was released.
    ///
    /// Asked under no lock: the object may be released by its last other owner meanwhile, and end here.
    var isOrphaned: Bool {
        guard case .observer(let observer) = self else { return false }
        return observer.object == nil
    }

    /// Whether it stands for `object`, which the caller keeps alive.
    func belongs(to object: any ConnectivityAware) -> Bool {
        guard case .observer(let observer) = self, observer.identifier == ObjectIdentifier(object) else { return false }
        // Nil for one that was released and whose address `object` has now.
        return observer.object != nil
    }

    func call(isConnected: Bool) {
        switch self {
        case .restored(let action): if isConnected { action() }
        case .lost(let action): if !isConnected { action() }
        case .observer(let observer):
            if isConnected { observer.object?.onConnectivityRestored() } else { observer.object?.onConnectivityLost() }
        }
    }
}

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
