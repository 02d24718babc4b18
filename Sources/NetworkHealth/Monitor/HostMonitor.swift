package import NetworkPath

/// Watches this host: the kernel's path, and the state that it feeds.
package struct HostMonitor: PathSource {
    package let health: HealthMonitor
    package let path: PathMonitor

    /// One for the process, started at its first use: the static functions and `ConnectivityService` use it.
    ///
    /// The start fails only when no thread is available; the state then stays nil.
    static let shared: HostMonitor = {
        let host = HostMonitor()
        try? host.start()
        return host
    }()

    /// - Parameters:
    ///   - configuration: see `PathMonitor`.
    ///   - prepareThread: see `PathMonitor`.
    package init(
        configuration: PathConfiguration = PathConfiguration(),
        prepareThread: @escaping @Sendable () -> Void = {}
    ) {
        let health = HealthMonitor()
        self.health = health
        path = PathMonitor(
            configuration: configuration,
            onUpdate: { health.receive($0) },
            onEnd: { health.forget() },
            prepareThread: prepareThread
        )
    }

    /// Starts watching; see `PathMonitor.start()`.
    package func start() throws { try path.start() }

    /// Stops watching and clears the state; must not be called while another thread calls `start()`.
    package func stop() {
        path.cancel()
        health.forget()
    }

    func awaitFirstState() {
        guard health.current == nil else { return }
        // Blocks until the first evaluation is complete; on failure there is no state.
        _ = try? path.currentPath
    }

    func resumes() -> AsyncStream<UInt64> { path.resumes() }

    var failure: String? { path.failure }
}

/// A source of paths with the state that it feeds: this host, or a script in a test.
protocol PathSource: Sendable {
    var health: HealthMonitor { get }
    func start() throws
    func stop()
    /// Waits for the first complete evaluation after a start, 200 ms at most.
    ///
    /// Returns immediately when there is one, and when nothing was started.
    func awaitFirstState()
    /// A value each time this host resumes from suspend.
    func resumes() -> AsyncStream<UInt64>
    /// Why the kernel cannot be read; nil while it can.
    var failure: String? { get }
}

extension PathSource {
    /// The current state; nil while stopped, and where the kernel cannot be read.
    var currentState: HealthState? {
        awaitFirstState()
        return health.current
    }
}
