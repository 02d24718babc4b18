import Locking
import Probing

/// Watches this host's network from a start to a stop: the shape of Apple's NWPathMonitor.
///
/// It reads the kernel and sends nothing, unless it is made with `internet: .probing()`: see ``InternetChecking``.
///
/// Each monitor watches for itself. The first read after a start is a complete evaluation and never a guess: it waits for
/// that, some milliseconds, 200 ms at most where the kernel does not answer. No later one waits. A program that must not
/// block for so long awaits the first value of ``updates``.
public final class NetworkMonitor: Sendable {
    /// One run, from a start to the stop.
    private struct Run {
        /// Asks for the internet; nil where nobody wants it.
        var probing: Task<Void, Never>?
    }

    /// One for the whole process, watching since its first use; it asks for no internet.
    public static let shared: NetworkMonitor = {
        let monitor = NetworkMonitor()
        monitor.start()
        return monitor
    }()

    private let source: any PathSource
    private let internet: InternetChecking
    private let makeInternet: InternetWatchFactory
    /// Held throughout a start or stop, so that they come one after the other; nothing in them calls back here.
    private let run = Locked<Run?>(nil)

    /// A monitor that does nothing until ``start()``.
    ///
    /// - Parameter internet: whether and how to look for an internet behind the path.
    public convenience init(internet: InternetChecking = .none) {
        self.init(source: HostMonitor(), internet: internet)
    }

    init(
        source: any PathSource,
        internet: InternetChecking = .none,
        makeInternet: @escaping InternetWatchFactory = { try InternetWatch($0, userAgent: userAgent, onVerdict: $1) }
    ) {
        self.source = source
        self.internet = internet
        self.makeInternet = makeInternet
    }

    deinit { stop() }

    /// Starts watching, also after a ``stop()``; a second call does nothing.
    ///
    /// Where no thread can be had the monitor stays stopped, and a later call tries again.
    public func start() {
        run.withLock { run in
            guard run == nil else { return }
            let probing = internet.configuration.flatMap(startProbing)
            do {
                try source.start()
                run = Run(probing: probing)
            } catch {
                probing?.cancel()
                source.health.detachInternet()
            }
        }
    }

    /// Stops watching, within milliseconds; nothing is known then.
    ///
    /// The sequences stay open and go on after another ``start()``.
    public func stop() {
        run.withLock { run in
            guard let stopped = run.take() else { return }
            stopped.probing?.cancel()
            source.stop()
            source.health.detachInternet()
        }
    }

    /// Whether the kernel has a usable path; false while stopped.
    public var isConnected: Bool { status.isConnected }

    /// Whether there is an internet behind the path, where that is asked for; else the same as ``isConnected``.
    ///
    /// False until the first verdict, which takes as long as the first answer.
    public var isOnline: Bool { source.currentState?.isOnline ?? false }

    /// Over what kind of interface this host is connected; nil without a connection.
    public var connectionType: ConnectionType? { source.currentState?.connectedType }

    /// The path in one word; `disconnected` while stopped, and where the kernel cannot be read.
    public var status: NetworkStatus { source.currentState?.status ?? .disconnected }

    /// The current status first, then each change, once.
    ///
    /// Each access is one reader, which sees what happens from then on. Ends with the task that reads it, and with the
    /// monitor.
    public var updates: some AsyncSequence<NetworkStatus, Never> & Sendable {
        StateChanges(of: source.health, \.status)
    }

    /// Whether this host is online, where the internet is asked for, else connected: now, then each change, once.
    ///
    /// Begins with the first verdict, where one is waited for. Reads and ends like ``updates``.
    public var connectivity: some AsyncSequence<Bool, Never> & Sendable {
        StateChanges(of: source.health, \.isOnline)
    }

    /// Each return of ``connectivity``; that it is there at first is none.
    public var connectivityRestored: some AsyncSequence<Void, Never> & Sendable {
        // The values alternate: after the first false each true is a return.
        connectivity.drop { $0 }.filter { $0 }.map { _ in }
    }

    /// Has somebody ask for the internet behind each path.
    private func startProbing(_ configuration: InternetConfiguration) -> Task<Void, Never>? {
        let health = source.health
        // The state and the prober refer to each other until the stop detaches the prober.
        let internet = try? makeInternet(configuration) { health.receive($0) }
        // Without a prober online stays unknown: connected does not answer this question.
        health.attachInternet { internet?.pathChanged($0) }
        let resumes = source.resumes()
        return internet.map { internet in
            Task(name: "internet") {
                await withDiscardingTaskGroup { group in
                    group.addTask { for await _ in resumes { internet.resumed() } }
                    group.addTask { await internet.run() }
                }
            }
        }
    }
}

extension HealthState {
    /// The type of the connection; nil without one.
    var connectedType: ConnectionType? { status.isConnected ? connectionType : nil }
}

/// What readers make of the states, each value once: an equal one after another is no news.
struct StateChanges<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    private let states: AsyncStream<HealthState>
    private let value: @Sendable (HealthState) -> Value?

    /// - Parameters:
    ///   - health: whose states are read, from now on.
    ///   - value: what is made of a state; nil says nothing.
    init(of health: HealthMonitor, _ value: @escaping @Sendable (HealthState) -> Value?) {
        states = health.states.values()
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
