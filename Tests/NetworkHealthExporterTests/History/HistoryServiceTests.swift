import Foundation
import Logging
import NetworkHealth
import Probing
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(1))) struct HistoryServiceTests {
    @Test func `follows the states and the latency, removes what is old, and writes what waits at its end`()
        async throws
    {
        let database = try Database(file: nil, migrations: Migrations.all)
        let old = Date.now.timeIntervalSince1970 - 7200
        try await database.write { try LatencyHistory.add([MinuteLatency(at: old, p50: 1)], in: $0) }
        let recorder = HistoryRecorder(database: database, logger: Logger(label: "test"))
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let service = HistoryService(
            recorder: recorder,
            states: {
                AsyncStream { states in
                    for var state in [HealthState.online(), .offline()] {
                        state.timestamp = .now
                        states.yield(state)
                    }
                }
            },
            latency: {
                ask.yield()
                return NetworkLatency(latency: .milliseconds(5))
            },
            retention: { .seconds(3600) },
            logger: Logger(label: "test")
        )
        let task = Task { try await service.run() }
        _ = await asked.first { true }
        while true {
            let left = try await database.read { try $0.rows("SELECT at FROM latency").count }
            let taken = try await database.read { try $0.rows("SELECT at FROM \"transition\"").count }
            if left == 0, taken == 2 { break }
            await Task.yield()
        }
        task.cancel()
        try await task.value
        let rows = try await database.read { try $0.rows("SELECT p50 FROM latency").map { $0["p50"].real } }
        #expect(rows == [0.005])
    }
}
