import Logging
import ServiceLifecycle
import Storage

extension Exporter {
    /// Runs until SIGTERM, SIGINT or cancellation: the sources start first and stop last.
    func run() async throws {
        let stop = ServiceGroupConfiguration.ServiceConfiguration(
            service: Job { [signals] in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await signals.run() }
                    group.addTask { for await _ in signals.stops { return } }
                    try await group.next()
                    group.cancelAll()
                }
            },
            successTerminationBehavior: .gracefullyShutdownGroup
        )
        // The group's debug messages name Swift types, which mean nothing to an operator.
        var quietLogger = logger
        quietLogger.logLevel = max(logger.logLevel, .info)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map { .init(service: $0) } + [stop],
                logger: quietLogger
            )
        )
        do {
            try await group.run()
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}
