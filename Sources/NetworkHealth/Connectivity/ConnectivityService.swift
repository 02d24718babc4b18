import Coordination
public import FoundationEssentials
import HTTPTransfer

/// Calls back when this host's connection is lost or restored.
///
/// ```swift
/// let service = ConnectivityService.shared
/// let id = service.onConnectivityRestored { print("connected") }
/// // Later:
/// service.removeCallback(id)
/// ```
///
/// A connection is a usable path. The service reads the kernel; only ``isHostReachable(_:)`` sends anything.
///
/// Callbacks run in the order of their registration, one at a time, on the service's own task: one that blocks delays the
/// others. A callback may register and remove any, including itself. While one blocks, at most 64 changes are kept; beyond
/// that a loss and the return after it are dropped together, so that the last call always reports the current state.
public final class ConnectivityService: Sendable {
    /// One for the whole process, watching since its first use.
    public static let shared = ConnectivityService(source: HostMonitor.shared) { try sharedTransfers.get() }

    private let source: any PathSource
    private let transfers: @Sendable () throws -> any HTTPTransferring
    private let callbacks: Locked<[UUID: ConnectivityCallback]>
    private let events: Locked<PendingEvents>
    /// Holds one value while there are events to process.
    private let wake: AsyncStream<Void>.Continuation
    private let observation: UUID
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - source: already started.
    ///   - transfers: called at each check of a host; returns a shared loop.
    init(source: any PathSource, transfers: @escaping @Sendable () throws -> any HTTPTransferring) {
        let callbacks = Locked<[UUID: ConnectivityCallback]>([:])
        let events = Locked(PendingEvents())
        let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        (self.source, self.transfers, self.callbacks) = (source, transfers, callbacks)
        (self.events, self.wake) = (events, wake)
        // In one queue with the registrations, so that a callback receives no change from before its registration.
        observation = source.health.observe { state in
            events.withLock { $0.append(.connected(state.status.isConnected)) }
            wake.yield()
        }
        // The service owns and cancels it; it does not retain the service.
        task = Task(name: "connectivity") {
            var rounds = CallbackRounds()
            for await _ in wakes {
                while !Task.isCancelled, let event = events.withLock({ $0.next() }) {
                    rounds.apply(event)?.call(callbacks)
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
    /// The first read in the process waits for a complete evaluation: milliseconds, 1 s at most.
    public var isConnected: Bool { source.reading.status.isConnected }

    /// The type of the interface over which this host is connected; nil without a connection.
    ///
    /// It is `unknown` where the kernel cannot be read, see ``failure``.
    public var connectionType: ConnectionType? { source.reading.connectionType }

    /// The type of the interface: the current one first, then each change, once; nil without a connection.
    ///
    /// Each access creates a reader, which ends with the task that reads it.
    public var connectionTypes: some AsyncSequence<ConnectionType?, Never> & Sendable {
        StateChanges(of: source.health) { .some($0.connectedType) }
    }

    /// Why the kernel cannot be read, with the call and its error; nil while it can.
    ///
    /// It is also logged. The service tries again at least every 30 s.
    public var failure: String? { source.failure }

    /// Calls `callback` when the connection is restored; also once now, if this host is connected.
    ///
    /// - Parameter callback: called on the service's task; must not block.
    /// - Returns: an identifier for ``removeCallback(_:)``.
    @discardableResult
    public func onConnectivityRestored(_ callback: @escaping @Sendable () -> Void) -> UUID { add(.restored(callback)) }

    /// Calls `callback` at each loss of the connection.
    ///
    /// - Parameter callback: called on the service's task; must not block.
    /// - Returns: an identifier for ``removeCallback(_:)``.
    @discardableResult
    public func onConnectivityLost(_ callback: @escaping @Sendable () -> Void) -> UUID { add(.lost(callback)) }

    /// Removes a callback: no call of it begins from now on.
    ///
    /// - Parameter id: the identifier that its registration returned; any other is ignored.
    public func removeCallback(_ id: UUID) {
        let removed = callbacks.withLock { $0.removeValue(forKey: id) }
        if removed != nil { post(.removed(id)) }
    }

    /// Whether a host answers a HEAD request within 5 s, with any status below 500.
    ///
    /// - Parameter url: absolute, http or https.
    /// - Returns: false on any error, while this host is not connected, and when the task is cancelled.
    public func isHostReachable(_ url: String) async -> Bool {
        // An unknown path does not prevent an answer.
        guard await source.firstState()?.status.isConnected ?? true else { return false }
        var request = TransferRequest(url: url, method: .head)
        request.timeout = .seconds(5)
        // An open connection may belong to a network that this host has left.
        request.usesFreshConnection = true
        guard let response = try? await transfers().perform(request) else { return false }
        return response.status < 500
    }

    /// The number of callbacks, including those whose object was released since the last setup.
    var callbackCount: Int { callbacks.withLock { $0.count } }

    /// Registers an object while it exists; a second registration is ignored.
    func add(_ object: some ConnectivityAware) {
        forgetOrphans()
        add(.observer(.init(object))) { $0.belongs(to: object) }
    }

    /// Registers a callback, unless an equal one is registered.
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

    /// Removes, at each setup, the callbacks of released objects.
    private func forgetOrphans() {
        let callbacks = callbacks.withLock { $0 }
        for (id, callback) in callbacks where callback.isOrphaned { removeCallback(id) }
    }
}

extension CallbackRounds.Round {
    /// Calls each callback that is still registered, without a lock: it may remove itself, or a later one.
    fileprivate func call(_ callbacks: Locked<[UUID: ConnectivityCallback]>) {
        for id in self.callbacks {
            callbacks.withLock { $0[id] }?.call(isConnected: isConnected)
        }
    }
}

/// An object that is called when the connection is lost or restored.
///
/// ```swift
/// final class Uploader: ConnectivityAware {
///     init() { setupConnectivityMonitoring() }
///
///     func onConnectivityRestored() { print("resuming") }
///     func onConnectivityLost() { print("pausing") }
/// }
/// ```
///
/// Conform with a `final class` and call ``setupConnectivityMonitoring()`` once it is ready. The service holds the object
/// weakly, and unregisters it when it is released.
public protocol ConnectivityAware: AnyObject, Sendable {
    /// The connection was restored; also called once after the setup if this host is connected.
    ///
    /// Called on ``ConnectivityService``'s task; must not block.
    func onConnectivityRestored()
    /// The connection was lost.
    ///
    /// Called on ``ConnectivityService``'s task; must not block.
    func onConnectivityLost()
}

extension ConnectivityAware {
    /// Registers this object with ``ConnectivityService/shared``; a second call does nothing.
    public func setupConnectivityMonitoring() { ConnectivityService.shared.add(self) }
}

/// The transfers of `ConnectivityService`: one loop for the process, made at its first use.
private let sharedTransfers = Result { try TransferLoop(name: "connectivity", userAgent: userAgent) }

/// The user agent of the library's HTTP requests.
let userAgent = "swift-network-health"
