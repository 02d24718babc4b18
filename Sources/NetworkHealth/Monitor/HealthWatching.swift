/// Whoever keeps a core up to date: the kernel's watcher, or a script in a test.
protocol HealthWatching: Sendable {
    var core: HealthCore { get }
    func start() throws
    func stop()
    /// Waits for the first complete evaluation after a start, 200 ms at most.
    ///
    /// Returns at once when it is there, and when nothing was started.
    func awaitFirstState()
    /// A value for each time that this host wakes up.
    func resumes() -> AsyncStream<UInt64>
}

extension HealthWatching {
    /// The state of this moment; nil while nothing was started, and where the kernel cannot be read.
    var currentState: HealthState? {
        awaitFirstState()
        return core.current
    }
}
