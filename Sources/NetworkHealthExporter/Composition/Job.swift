import ServiceLifecycle

/// A long-running service without a type of its own: its body runs until a graceful shutdown cancels it.
struct Job: Service {
    private let body: @Sendable () async throws -> Void

    init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

    func run() async throws { try await cancelWhenGracefulShutdown(body) }
}
