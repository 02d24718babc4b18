import Coordination
import NetworkPath
import Probing

/// Watches this host's network from a start to a stop, like Apple's NWPathMonitor.
///
/// ```swift
/// let monitor = NetworkMonitor()
/// monitor.start()
/// print(monitor.isConnected, monitor.status)
/// for await status in monitor.updates { print("The path is \(status)") }
/// ```
///
/// It reads the kernel and sends nothing, unless created with `internet: .probing()`; see ``InternetChecking``.
///
/// Monitors are independent of each other. The first read after a start waits for a complete evaluation: some
/// milliseconds, 1 s at most on a machine that is too busy. No later read waits. A program that must not block
/// awaits the first value of ``updates``.
///
/// Where the kernel cannot be read, ``failure`` is the reason, which is also logged; the status is then `unsatisfied` and the
/// type of the connection `unknown`.
public final class NetworkMonitor: Sendable {
    /// One run, from a start to the stop.
    private struct Run {
        /// Logs why the kernel cannot be read.
        var logging: Task<Void, Never>
        /// Probes the internet; nil where it is not to be probed.
        var probing: Task<Void, Never>?
    }

    /// One for the process, started at its first use; it does not probe the internet.
    public static let shared: NetworkMonitor = {
        let monitor = NetworkMonitor()
        monitor.start()
        return monitor
    }()

    private let source: any PathSource
    private let internet: InternetChecking
    private let makeInternet: InternetWatchFactory
    /// Locked throughout a start or stop, so that they cannot overlap; neither calls back here.
    private let run = Locked<Run?>(nil)

    /// A monitor that does nothing until ``start()``.
    ///
    /// - Parameter internet: whether and how to probe the internet behind the path.
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
    /// When no thread is available the monitor stays stopped, and a later call tries again.
    public func start() {
        run.withLock { run in
            guard run == nil else { return }
            let probing = internet.configuration.flatMap(startProbing)
            do {
                try source.start()
                let (log, failures) = (source.log, source.failures())
                run = Run(logging: Task(name: "network failures") { await log.follow(failures) }, probing: probing)
            } catch {
                source.log.failed(error)
                probing?.cancel()
                source.health.detachInternet()
            }
        }
    }

    /// Stops watching, within milliseconds, and clears the state.
    ///
    /// The sequences stay open and continue after another ``start()``.
    public func stop() {
        run.withLock { run in
            guard let stopped = run.take() else { return }
            stopped.logging.cancel()
            stopped.probing?.cancel()
            source.stop()
            source.health.detachInternet()
        }
    }

    /// Whether the kernel has a usable path; false while stopped.
    public var isConnected: Bool { status.isConnected }

    /// Whether there is an internet behind the path, where it is probed; else the same as ``isConnected``.
    ///
    /// False until the first verdict.
    public var isOnline: Bool { source.reading.state?.isOnline ?? false }

    /// The type of the interface over which this host is connected; nil without a connection.
    public var connectionType: ConnectionType? { source.reading.connectionType }

    /// Whether the path charges for use; false while stopped, and where that is not known, see ``isCostKnown``.
    public var isExpensive: Bool { source.reading.state?.path.isExpensive ?? false }

    /// Whether the user asked to save data on this network; false while stopped.
    public var isConstrained: Bool { source.reading.state?.path.isConstrained ?? false }

    /// Whether ``isExpensive`` is known: in a container it is not, since the devices that cost money are the host's.
    public var isCostKnown: Bool { source.reading.state?.path.isCostKnown ?? false }

    /// Whether data can be used freely: the cost is known, and the path is neither expensive nor constrained.
    public var isUnmetered: Bool { source.reading.state?.path.isUnmetered ?? false }

    /// The status of the path; `disconnected` while stopped, `unsatisfied` where the kernel cannot be read.
    public var status: NetworkStatus { source.reading.status }

    /// The current status first, then each change, once.
    ///
    /// There is none before the first complete evaluation.
    ///
    /// Each access creates a reader, which receives the changes from then on. It ends with the task that reads it, and with
    /// the monitor.
    public var updates: some AsyncSequence<NetworkStatus, Never> & Sendable {
        StateChanges(of: source.health, \.status)
    }

    /// Whether this host is online, where the internet is probed, else connected: the current value, then each change, once.
    ///
    /// Begins with the first verdict where the internet is probed. It is read and ends like ``updates``.
    public var connectivity: some AsyncSequence<Bool, Never> & Sendable {
        StateChanges(of: source.health, \.isOnline)
    }

    /// Each return of ``connectivity``; a connection at the start is not a return.
    public var connectivityRestored: some AsyncSequence<Void, Never> & Sendable {
        // The values alternate: each true after the first false is a return.
        connectivity.drop { $0 }.filter { $0 }.map { _ in }
    }

    /// The type of the interface: the current one first, then each change, once; nil without a connection.
    ///
    /// It is read and ends like ``updates``.
    public var connectionTypes: some AsyncSequence<ConnectionType?, Never> & Sendable {
        StateChanges(of: source.health) { .some($0.connectedType) }
    }

    /// Why the kernel cannot be read, with the call and its error; nil while it can.
    ///
    /// The monitor tries again at least every 30 s.
    public var failure: String? { source.failure }

    /// Starts probing the internet behind each path.
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

/// A value of each state, without consecutive equal values.
struct StateChanges<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    private let states: AsyncStream<HealthState>
    private let value: @Sendable (HealthState) -> Value?

    /// - Parameters:
    ///   - health: its states are read, from now on.
    ///   - value: a value of the state; nil is skipped.
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
