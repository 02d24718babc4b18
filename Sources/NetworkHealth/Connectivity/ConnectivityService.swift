public import FoundationEssentials
import HTTPTransfer
import Locking

/// Tells whoever registers when this host's connection comes and goes.
///
/// A connection is a usable path: the kernel is read, nothing is sent but what ``isHostReachable(_:)`` asks for.
///
/// Callbacks run in the order of their registration, one at a time, on the service's own task: one that blocks holds up
/// the others. It may register and remove any, itself included. While one blocks, 64 changes wait; of more, a loss and the
/// return after it are left out together, so that the last call always says how it is.
public final class ConnectivityService: Sendable {
    /// One for the whole process, watching since its first use.
    public static let shared = ConnectivityService(source: HostMonitor.shared) { try sharedTransfers.get() }

    private let source: any PathSource
    private let transfers: @Sendable () throws -> any HTTPTransferring
    private let callbacks: Locked<[UUID: ConnectivityCallback]>
    private let events: Locked<PendingEvents>
    /// Holds one value while there are events that nobody has looked at.
    private let wake: AsyncStream<Void>.Continuation
    private let observation: UUID
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - source: watches already.
    ///   - transfers: hands out one that lasts, at each question.
    init(source: any PathSource, transfers: @escaping @Sendable () throws -> any HTTPTransferring) {
        let callbacks = Locked<[UUID: ConnectivityCallback]>([:])
        let events = Locked(PendingEvents())
        let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.source, self.transfers, self.callbacks) = (source, transfers, callbacks)
        (self.events, self.wake) = (events, wake)
        // Into the same queue as the registrations, so that nobody is told of a change before its own.
        observation = source.health.observe { state in
            events.withLock { $0.append(.connected(state.status.isConnected)) }
            wake.yield()
        }
        // Owned by the service, which it does not hold: it ends with it.
        task = Task(name: "connectivity") {
            var rounds = CallbackRounds()
            for await _ in wakes {
                while !Task.isCancelled, let event = events.withLock({ $0.next() }) {
                    rounds.apply(event)?.tell(callbacks)
                }
            }
        }
    }

    deinit {
        source.health.stopObserving(observation)
        task.cancel()
    }

    /// Whether the kernel has a usable path.
    ///
    /// The first read of the process waits for a complete evaluation: milliseconds, 200 ms at most.
    public var isConnected: Bool { source.currentState?.status.isConnected ?? false }

    /// Over what kind of interface this host is connected; nil without a connection.
    public var connectionType: ConnectionType? { source.currentState?.connectedType }

    /// Has `callback` called when the connection is there: soon when it already is, then at each return.
    ///
    /// - Parameter callback: called on the service's task; must not block.
    /// - Returns: what ``removeCallback(_:)`` wants.
    @discardableResult
    public func onConnectivityRestored(_ callback: @escaping @Sendable () -> Void) -> UUID { add(.restored(callback)) }

    /// Has `callback` called at each loss of the connection.
    ///
    /// - Parameter callback: called on the service's task; must not block.
    /// - Returns: what ``removeCallback(_:)`` wants.
    @discardableResult
    public func onConnectivityLost(_ callback: @escaping @Sendable () -> Void) -> UUID { add(.lost(callback)) }

    /// Forgets a callback: from now on no call of it begins.
    ///
    /// - Parameter id: what its registration returned; any other does nothing.
    public func removeCallback(_ id: UUID) {
        let removed = callbacks.withLock { $0.removeValue(forKey: id) }
        if removed != nil { post(.removed(id)) }
    }

    /// Whether a host answers HTTP: a HEAD request, 5 s at most; any answer counts, whatever its status.
    ///
    /// - Parameter url: absolute, http or https.
    /// - Returns: false on any error, and when the task is cancelled.
    public func isHostReachable(_ url: String) async -> Bool {
        var request = TransferRequest(url: url, method: .head)
        request.timeout = .seconds(5)
        // An open one may belong to a network that this host has left.
        request.usesFreshConnection = true
        return (try? await transfers().perform(request)) != nil
    }

    /// How many are registered, those included whose object was released since the last setup.
    var callbackCount: Int { callbacks.withLock { $0.count } }

    /// Tells an object for as long as it lives; one that is told already is not told twice.
    func add(_ object: some ConnectivityAware) {
        forgetOrphans()
        add(.observer(.init(object))) { $0.belongs(to: object) }
    }

    /// Registers a callback, unless one is there already that makes it needless.
    @discardableResult
    private func add(
        _ callback: ConnectivityCallback,
        unless isSame: (ConnectivityCallback) -> Bool = { _ in false }
    ) -> UUID {
        let id = UUID()
        let isNew = callbacks.withLock { callbacks in
            guard !callbacks.values.contains(where: isSame) else { return false }
            callbacks[id] = callback
            return true
        }
        if isNew { post(.registered(id)) }
        return id
    }

    private func post(_ event: CallbackRounds.Event) {
        events.withLock { $0.append(event) }
        wake.yield()
    }

    /// Clears away, at each setup, what was released since the last one.
    private func forgetOrphans() {
        let callbacks = callbacks.withLock { $0 }
        for (id, callback) in callbacks where callback.isOrphaned { removeCallback(id) }
    }
}

extension CallbackRounds.Round {
    /// Calls each callback that is still there, without a lock: it may remove itself, or one that comes after it.
    fileprivate func tell(_ callbacks: Locked<[UUID: ConnectivityCallback]>) {
        for id in self.callbacks {
            callbacks.withLock { $0[id] }?.call(isConnected: isConnected)
        }
    }
}

/// An object that wants to know when the connection comes and goes.
///
/// Conform with a `final class` and call ``setupConnectivityMonitoring()`` once it is ready to be told. Nothing has to be
/// undone: the object is held weakly and forgotten when it is released.
public protocol ConnectivityAware: AnyObject, Sendable {
    /// The connection is there: once after the setup when it already is, then at each return.
    ///
    /// Called on ``ConnectivityService``'s task; must not block.
    func onConnectivityRestored()
    /// The connection is gone.
    ///
    /// Called on ``ConnectivityService``'s task; must not block.
    func onConnectivityLost()
}

extension ConnectivityAware {
    /// Has ``ConnectivityService/shared`` tell this object; a second call does nothing.
    public func setupConnectivityMonitoring() { ConnectivityService.shared.add(self) }
}

/// The transfers of `ConnectivityService`: one loop for the process, made at its first use.
private let sharedTransfers = Result { try TransferLoop(name: "connectivity", userAgent: userAgent) }

/// The user agent of the library's HTTP requests.
let userAgent = "swift-network-health"
