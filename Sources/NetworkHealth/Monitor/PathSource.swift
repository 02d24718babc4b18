import NetworkPath

/// A source of paths with the state that it feeds: this host, or a script in a test.
protocol PathSource: Sendable {
    var health: HealthMonitor { get }
    var log: EvaluationLog { get }
    func start() throws
    func stop()
    /// What is known now.
    ///
    /// After a start the first read blocks until the first evaluation is complete, for at most 1 s.
    var reading: HostReading { get }
    /// A value each time this host resumes from suspend.
    func resumes() -> AsyncStream<UInt64>
    /// Why the kernel cannot be read; nil while it can.
    var failure: String? { get }
    /// The current failure first, then each change.
    func failures() -> AsyncStream<String?>
}

/// What is known of a host's network.
enum HostReading: Sendable, Equatable {
    case known(HealthState)
    /// The kernel cannot be read, or the first evaluation is late.
    case unknown
    /// Nothing was started.
    case stopped

    var state: HealthState? { if case .known(let state) = self { state } else { nil } }

    /// An unknown path has not lost its link or its route.
    var status: NetworkStatus {
        switch self {
        case .known(let state): state.status
        case .unknown: .unsatisfied
        case .stopped: .disconnected
        }
    }

    /// nil without a connection.
    var connectionType: ConnectionType? {
        switch self {
        case .known(let state): state.connectedType
        case .unknown: .unknown
        case .stopped: nil
        }
    }
}

extension PathSource {
    /// The current state, as soon as there is one.
    ///
    /// - Returns: nil where the kernel cannot be read, and after the limit, which is logged.
    func firstState(within limit: Duration = PathMonitor.firstPathLimit) async -> HealthState? {
        if let current = health.current { return current }
        await withDiscardingTaskGroup { group in
            let (wakes, wake) = AsyncStream<Void>.makeStream()
            group.addTask {
                for await _ in health.changes() { break }
                wake.yield()
            }
            group.addTask {
                for await case .some in failures() { break }
                wake.yield()
            }
            group.addTask {
                // The limit of the wait, which a state or a failure ends earlier.
                try? await Task.sleep(for: limit)
                wake.yield()
            }
            for await _ in wakes { break }
            group.cancelAll()
        }
        let state = health.current
        if state == nil, failure == nil, !Task.isCancelled { log.late() }
        return state
    }
}
