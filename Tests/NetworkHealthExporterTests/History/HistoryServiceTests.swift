import Coordination
import Foundation
import Logging
import NetworkHealth
import Probing
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct HistoryServiceTests {
    @Test func `follows the states and the latency, removes what is old, and writes what waits at its end`()
        async throws
    {
        let database = try Database(file: nil, schema: .exporter)
        let now = Date.now.timeIntervalSince1970
        let old = now - 7200
        try await database.write { try LatencyHistory.add([LatencyRow(at: old, p50: 1)], in: $0) }
        let recorder = HistoryRecorder(database: database, logger: Logger(label: "test"))
        var target = ProbedTarget()
        target.probe(5)
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
            latency: { [sources = target.sources] in
                ask.yield()
                return sources
            },
            section: Locked(HistorySection(retention: .seconds(3600))),
            cutoff: HistoryCutoff(newest: nil, startedAt: now - 3600),
            logger: Logger(label: "test"),
            running: { .seconds(3600) }
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

    @Test func `a process that has just started removes nothing`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { try LatencyHistory.add([LatencyRow(at: 60, p50: 1)], in: $0) }
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let service = HistoryService(
            recorder: HistoryRecorder(database: database, logger: Logger(label: "test")),
            states: { AsyncStream { $0.finish() } },
            latency: { LatencySources() },
            section: Locked(HistorySection(retention: .seconds(3600))),
            cutoff: HistoryCutoff(newest: Date.now.timeIntervalSince1970, startedAt: 60),
            logger: Logger(label: "test"),
            timings: HistoryService.Timings(prune: .milliseconds(1)),
            running: {
                ask.yield()
                return .seconds(10)
            }
        )
        let task = Task { try await service.run() }
        // Once by the samples, and by the removal, whose second time comes after the first one has ended.
        var times = asked.makeAsyncIterator()
        for _ in 1...3 { await times.next() }
        task.cancel()
        try await task.value
        #expect(try await database.read { try $0.rows("SELECT at FROM latency").count } == 1)
    }
}
