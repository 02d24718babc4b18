package import NetworkPath

/// Watches this host: the kernel's path, and the state that it feeds.
package struct HostMonitor: PathSource {
    package let health: HealthMonitor
    package let path: PathMonitor
    let log: EvaluationLog

    /// One for the process, started at its first use: the static functions and `ConnectivityService` use it.
    ///
    /// The start fails only when no thread is available; the state then stays nil.
    static let shared: HostMonitor = {
        let host = HostMonitor()
        do {
            try host.start()
            // Without an end, as the monitor itself.
            Task(name: "network failures") { await host.log.follow(host.failures()) }
        } catch {
            host.log.failed(error)
        }
        return host
    }()

    /// - Parameters:
    ///   - configuration: see `PathMonitor`.
    ///   - log: receives what the library logs; the owner of a monitor follows its failures itself.
    ///   - prepareThread: see `PathMonitor`.
    package init(
        configuration: PathConfiguration = PathConfiguration(),
        log: EvaluationLog = EvaluationLog(),
        prepareThread: @escaping @Sendable () -> Void = {}
    ) {
        let health = HealthMonitor()
        self.health = health
        self.log = log
        path = PathMonitor(
            configuration: configuration,
            onUpdate: { health.receive($0) },
            onWait: { health.expectObservation(by: $0) },
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

    var reading: HostReading {
        if let state = health.current { return .known(state) }
        do {
            _ = try path.currentPath
        } catch PathMonitorError.notStarted where path.failure == nil {
            return .stopped
        } catch PathMonitorError.timedOut {
            log.late()
        } catch {}
        return health.current.map(HostReading.known) ?? .unknown
    }

    func resumes() -> AsyncStream<UInt64> { path.resumes() }

    var failure: String? { path.failure }

    func failures() -> AsyncStream<String?> { path.failures() }
}
