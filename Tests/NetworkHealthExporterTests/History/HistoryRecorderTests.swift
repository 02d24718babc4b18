import Foundation
import Lab
import Logging
import NetworkHealth
import NetworkPath
import Probing
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct HistoryRecorderTests {
    /// What the tables hold, without what waits.
    private func stored(in database: Database) async throws -> HistoryBacklog {
        var backlog = HistoryBacklog()
        try await HistoryPages(TransitionHistory.self, of: database, since: 0).each {
            backlog.append(HistoryBacklog(transitions: $0))
        }
        try await HistoryPages(LatencyHistory.self, of: database, since: 0).each {
            backlog.append(HistoryBacklog(minutes: $0))
        }
        return backlog
    }

    private func recorder(_ file: String? = nil, logger: Logger = Logger(label: "test")) throws -> HistoryRecorder {
        HistoryRecorder(database: try Database(file: file, schema: .exporter), logger: logger)
    }

    /// One more probe of 20 ms at each of these times.
    private func sample(_ recorder: HistoryRecorder, at times: Double...) {
        var target = ProbedTarget()
        for time in times {
            target.probe(20)
            recorder.sample(target.sources, at: time)
        }
    }

    @Test func `a transition is in the file when it was taken in, and a kill loses nothing of it`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/state.db"
        let recorder = try recorder(file)
        sample(recorder, at: 60, 120)
        await recorder.receive(.online())
        await recorder.receive(.offline())
        // As another process sees it, while this one has neither closed nor ended anything.
        let reader = try Database.readOnly(file: file)
        let found = try await stored(in: reader)
        await reader.close()
        #expect(found.transitions == [Transition(.online()), Transition(.offline())])
        #expect(found.minutes.map(\.at) == [60], "what waited went with it")
        #expect(recorder.backlog.isEmpty)
        await recorder.database.close()

        let again = try self.recorder(file)
        #expect(try await stored(in: again.database) == found)
        await again.database.close()
    }

    @Test func `only what differs is written`() async throws {
        let recorder = try recorder()
        for state in [HealthState.online(), .online(), .offline(), .offline(.linkDown), .online()] {
            await recorder.receive(state)
        }
        let statuses = try await stored(in: recorder.database).transitions.map { $0.unsatisfiedReason ?? "-" }
        #expect(statuses == ["-", "no_route", "link_down", "-"])
    }

    @Test func `minutes wait for a flush, and the end takes the one under way`() async throws {
        let recorder = try recorder()
        sample(recorder, at: 0, 60, 120)
        #expect(try await stored(in: recorder.database).isEmpty)
        #expect(recorder.backlog.minutes.map(\.at) == [0, 60])
        await recorder.flush()
        #expect(try await stored(in: recorder.database).minutes.map(\.at) == [0, 60])
        await recorder.finish()
        let minutes = try await stored(in: recorder.database).minutes
        #expect(minutes.last == LatencyRow(at: 120, p50: 0.02, p95: 0.02, jitter: 0, loss: 0))
        #expect(minutes.count == 3 && recorder.backlog.isEmpty)
    }

    @Test func `the stored row has the percentiles of the single probes, not of their rolling median`() async throws {
        let recorder = try recorder()
        var target = ProbedTarget()
        recorder.sample(target.sources, at: 0)
        // Ten a second, of which one is slow: the median of the last 100 is 0.3 ms throughout.
        for reading in 1...11 {
            for index in 0..<50 { target.probe(index % 10 == 0 ? 159 : 0.3) }
            #expect(target.sources.latency(at: .now)?.latency == .microseconds(300))
            recorder.sample(target.sources, at: Double(reading) * 5)
        }
        await recorder.finish()
        let row = try #require(try await stored(in: recorder.database).minutes.first)
        #expect(row.p50 == 0.0003 && row.p95 == 0.159 && row.loss == 0)
    }

    @Test func `of two rows of a minute the first stays`() async throws {
        let recorder = try recorder()
        sample(recorder, at: 0)
        await recorder.finish()
        var slow = ProbedTarget()
        slow.probe(20, 1000)
        recorder.sample(slow.sources, at: 30)
        await recorder.finish()
        #expect(try await stored(in: recorder.database).minutes.map(\.p50) == [0.02])
    }

    @Test func `rows that cannot be written are reported once, kept, and written later in their order`() async throws {
        let log = LogRecorder()
        let recorder = try recorder(logger: log.logger)
        try await recorder.database.write { transaction in
            try transaction.run(
                "CREATE TRIGGER full BEFORE INSERT ON \"transition\" BEGIN SELECT RAISE(ABORT, 'no room'); END"
            )
        }
        await recorder.receive(.online())
        await recorder.receive(.offline())
        #expect(recorder.backlog.transitions.count == 2)
        #expect(try await stored(in: recorder.database).isEmpty)
        try await recorder.database.write { try $0.run("DROP TRIGGER full") }
        await recorder.receive(.offline(.linkDown))
        let reasons = try await stored(in: recorder.database).transitions.map(\.unsatisfiedReason)
        #expect(reasons == [nil, "no_route", "link_down"] && recorder.backlog.isEmpty)
        let error = try #require(await log.next())
        #expect(error.hasPrefix("error The history cannot be written") && error.contains("no room"))
        #expect(await log.next() == "info The history is written again")
    }

    @Test func `what waits is bounded, and the newest of it kept`() async throws {
        let recorder = try recorder()
        await recorder.database.close()
        var target = ProbedTarget()
        for minute in 0...1500 {
            target.probe(20)
            recorder.sample(target.sources, at: Double(minute) * 60)
        }
        for index in 0..<1200 { await recorder.receive(index.isMultiple(of: 2) ? .online() : .offline()) }
        let backlog = recorder.backlog
        #expect(backlog.minutes.map(\.at) == (500..<1500).map { Double($0) * 60 })
        #expect(backlog.transitions.count == 1000 && backlog.transitions.last == Transition(.offline()))
    }

    @Test func `many at once write each row once`() async throws {
        let recorder = try recorder()
        var target = ProbedTarget()
        for minute in 0..<200 {
            target.probe(20)
            recorder.sample(target.sources, at: Double(minute) * 60)
        }
        await withDiscardingTaskGroup { group in
            for index in 0..<50 {
                group.addTask {
                    await recorder.receive(index.isMultiple(of: 2) ? .online() : .offline())
                    await recorder.flush()
                }
            }
        }
        await recorder.finish()
        let rows = try await stored(in: recorder.database)
        #expect(rows.minutes.count == 200)
        for (row, next) in zip(rows.transitions, rows.transitions.dropFirst()) { #expect(next.differs(from: row)) }
    }
}
