@testable import Probing

extension InternetMonitor {
    /// Runs as long as `body` does.
    func running(_ body: () async throws -> Void) async rethrows {
        let task = Task { await run() }
        defer { task.cancel() }
        try await body()
        task.cancel()
        await task.value
    }
}

extension FakeInternet {
    /// What makes an online internet of the lab's configuration.
    static let online: [String: Answer] = [
        "http://first.example/204": .status(204), "https://third.example/": .status(200),
    ]

    /// A monitor of it on its clock, with the lab's configuration, and the verdicts that it publishes.
    func monitor(
        pulseTools: PulseTools = PulseTools(),
        renewLookups: @escaping @Sendable () -> Void = {},
        captive: @escaping @Sendable (String) async -> Bool? = { _ in nil },
        passiveReport: @escaping @Sendable () async -> PassiveReport? = { nil },
        onLocalFailure: @escaping @Sendable (String) -> Void = { _ in },
        onClockFault: @escaping @Sendable (Duration) -> Void = { _ in }
    ) -> (InternetMonitor, AsyncStream<InternetVerdict>) {
        let (verdicts, continuation) = AsyncStream<InternetVerdict>.makeStream()
        let monitor = InternetMonitor(
            configuration: .lab,
            transfers: self,
            connecting: self,
            pinging: self,
            pulseTools: pulseTools,
            renewLookups: renewLookups,
            captive: captive,
            passiveReport: passiveReport,
            clock: clock,
            random: { 0 },
            onLocalFailure: onLocalFailure,
            onClockFault: onClockFault,
            onVerdict: { continuation.yield($0) }
        )
        return (monitor, verdicts)
    }
}
