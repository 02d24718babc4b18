import FoundationEssentials

/// Decides which callbacks to call: each once at its registration while connected, then once at each change.
struct CallbackRounds {
    /// What happened.
    enum Event: Sendable, Equatable {
        case registered(UUID)
        case removed(UUID)
        case connected(Bool)
    }

    /// The callbacks to call, in the order of their registration, and what to report.
    struct Round: Equatable {
        var callbacks: [UUID]
        var isConnected: Bool
    }

    private var callbacks: [UUID] = []
    /// False before the first complete evaluation: there was no connection to lose.
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

/// A callback for the return or the loss of the connection.
enum ConnectivityCallback: Sendable {
    case restored(@Sendable () -> Void)
    case lost(@Sendable () -> Void)
    /// Both, while the object exists.
    case observer(WeakObserver)

    struct WeakObserver: Sendable {
        weak let object: (any ConnectivityAware)?
        /// Identifies the object without retaining it, even for a moment.
        let identifier: ObjectIdentifier

        init(_ object: any ConnectivityAware) {
            self.object = object
            identifier = ObjectIdentifier(object)
        }
    }

    /// Whether the object was released.
    ///
    /// Must not be called under a lock: the last other owner may release the object meanwhile, so that it is deinitialised
    /// here.
    var isOrphaned: Bool {
        guard case .observer(let observer) = self else { return false }
        return observer.object == nil
    }

    /// Whether it calls `object`, which the caller retains.
    func belongs(to object: any ConnectivityAware) -> Bool {
        guard case .observer(let observer) = self, observer.identifier == ObjectIdentifier(object) else { return false }
        // nil for a released object, at whose address `object` is now.
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

/// The events that callbacks have not received yet, the oldest first; bounded, even while a callback blocks.
///
/// At most 64 changes of the connection are pending. One more removes the last of them, since a loss and a return cancel
/// out: the last pending change is always the current state. A removal cancels a pending registration, so that
/// the number of registrations is bounded by that of the callbacks.
struct PendingEvents {
    typealias Event = CallbackRounds.Event

    static let maxChanges = 64

    private(set) var events: [Event] = []
    /// The connection after the last appended event.
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
            if changes.count >= Self.maxChanges, let last = changes.last {
                events.remove(at: last)
            } else {
                events.append(event)
            }
        }
    }

    /// Removes and returns the oldest.
    mutating func next() -> Event? { events.isEmpty ? nil : events.removeFirst() }
}

extension CallbackRounds.Event {
    fileprivate var isChange: Bool {
        if case .connected = self { true } else { false }
    }
}
