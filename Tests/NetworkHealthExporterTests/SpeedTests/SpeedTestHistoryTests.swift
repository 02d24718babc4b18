import Foundation
import Lab
import SpeedTestCore
import Storage
import Testing

@testable import NetworkHealthExporter

struct SpeedTestHistoryTests {
    private func withHistory(
        _ file: String? = nil,
        _ body: (SpeedTestHistory) async throws -> Void
    ) async throws {
        let database = try Database(file: file, schema: .exporter)
        try await body(SpeedTestHistory(database: database))
        await database.close()
    }

    @Test func `a new file is empty`() async throws {
        try await withHistory { history in
            let saved = try await history.load()
            #expect(saved.reports.isEmpty)
            #expect(saved.memory == SpeedTestScheduler.Memory() && saved.budget == BudgetAccount())
        }
    }

    @Test func `tests, schedule and budget outlive the process`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/state.db"
        let good = SpeedTestReport.good(uplink: "eth0 a")
        var latency = SpeedTestReport.failed(.auth, at: 1_700_000_100, uplink: "wlan0")
        latency.isLatencyOnly = true
        var budget = BudgetAccount()
        budget.ledger.charge(67_000_000, at: good.endedAt)
        budget.reserved = 5
        var memory = SpeedTestScheduler.Memory()
        memory.lastStart = Date(timeIntervalSince1970: 1_700_000_000)
        memory.nextRun = Date(timeIntervalSince1970: 1_700_009_000.375)
        let (memoryThen, budgetThen) = (memory, budget)
        try await withHistory(file) { history in
            // The clock may go back.
            try await history.add(latency)
            try await history.add(good)
            try await history.save { ([], (memoryThen, budgetThen)) }
        }
        try await withHistory(file) { history in
            let saved = try await history.load()
            #expect(saved.reports == [latency, good])
            #expect(saved.memory == memoryThen)
            #expect(saved.budget == budgetThen)
        }
    }

    @Test func `a write stores the state of the time when it is written, not when it was requested`() async throws {
        try await withHistory { history in
            let board = SpeedTestBoard(SpeedTestState(section: SpeedTestSection(), saved: .init(), now: .now))
            let (isBusy, busy) = AsyncStream<Void>.makeStream()
            let free = DispatchSemaphore(value: 0)
            // The database's thread waits, so that what is asked for meanwhile is written later.
            async let blocked: Void = history.database.write { _ in
                busy.yield()
                free.wait()
            }
            for await _ in isBusy { break }
            board.update { $0.reserve(1) }
            async let saved: Void = history.save { ([], board.state.stored) }
            while history.database.waiting == 0 { await Task.yield() }
            board.update { $0.reserve(2) }
            free.signal()
            _ = try await (blocked, saved)
            #expect(try await history.load().budget.reserved == 2)
        }
    }

    @Test func `the last good test of a server is kept, however many have failed since`() async throws {
        try await withHistory { history in
            let good = SpeedTestReport.good()
            try await history.add(good)
            try await history.add(.failed(at: 1_700_001_000))
            try await history.database.write { transaction in
                try transaction.run(
                    """
                    INSERT INTO speedtest
                    (started_at, server, uplink, failure, latency_only, received, transmitted, document)
                    WITH RECURSIVE numbers (number) AS
                    (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 500)
                    SELECT started_at, server, uplink, failure, latency_only, received, transmitted, document
                    FROM speedtest, numbers WHERE failure IS NOT NULL
                    """
                )
            }
            let reports = try await history.load().reports
            #expect(reports.first == good && reports.count == 501)
        }
    }

    @Test func `a failure with an unknown reason is not a success`() async throws {
        try await withHistory { history in
            try await history.add(.failed(uplink: "eth0"))
            try await history.database.write { try $0.run("UPDATE speedtest SET failure = 'gone'") }
            #expect(try await history.load().reports.isEmpty)
        }
    }

    @Test func `a document of another version is skipped`() async throws {
        try await withHistory { history in
            try await history.add(.good())
            try await history.database.write { transaction in
                try transaction.run("UPDATE speedtest SET document = '{\"server\":1}'")
                try transaction.run("INSERT OR REPLACE INTO speedtest_state VALUES ('memory', 'x'), ('books', '[]')")
            }
            let saved = try await history.load()
            #expect(saved.reports.isEmpty && saved.budget == BudgetAccount())
        }
    }
}
