import ServiceLifecycle

/// Delivers signals, ends when one asks for it, and the group with it.
struct StopService: Service {
    let signals: CaughtSignals

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await signals.run() }
            group.addTask { for await _ in signals.stops.cancelOnGracefulShutdown() { return } }
            try await group.next()
            group.cancelAll()
        }
    }
}
