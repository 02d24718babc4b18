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
