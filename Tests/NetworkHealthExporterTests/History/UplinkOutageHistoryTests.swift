import Coordination
import Foundation
import Lab
import Logging
import NetworkPath
import Probing
import Storage
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct UplinkOutageHistoryTests {
    private let folder: TemporaryFolder
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws { folder = try TemporaryFolder() }

    /// A recorder on the file, as a process has it.
    private func open() async throws -> HistoryRecorder {
        let storage = try await OpenedStorage(file: folder.file("exporter.db"), logger: logger)
        return HistoryRecorder(database: storage.database, interrupted: storage.interrupted, logger: logger)
    }

    private func outage(_ uplink: String = "lte", _ cause: OutageCause = .noInternet, _ length: Double? = nil)
        -> UplinkOutage
    {
        UplinkOutage(
            uplink,
            Outage(cause, since: .now.advanced(by: .seconds(-600)), length: length.map { .seconds($0) })
        )
    }

    private func lines(_ recorder: HistoryRecorder, _ kind: String = "uplink_outages") async -> [String] {
        let view = HistoryView(recorder: recorder)
        let csv = await view.answer(.query(("kind", kind), ("since", "1d"), ("format", "csv"))).text
        return csv.split(separator: "\r\n").map(String.init)
    }

    @Test func `each outage is a row with its uplink, and the ongoing one is the last, without an end`() async throws {
        let recorder = try HistoryRecorder.inMemory()
        #expect(await lines(recorder) == ["uplink,startedAt,endedAt,seconds,cause,location"])
        await recorder.receive([outage("eth1"), outage()])
        await recorder.receive([outage("eth1", .noInternet, 61.5)])
        let rows = await lines(recorder)
        #expect(rows.count == 3)
        #expect(rows[1].hasPrefix("eth1,") && rows[1].hasSuffix("Z,61.5,no_internet,unknown"))
        #expect(rows[2].contains(/^lte,[^,]+Z,,6\d\d\.\d+,no_internet,unknown$/))
        let view = HistoryView(recorder: recorder)
        let json = await view.answer(.query(("kind", "uplink_outages"), ("since", "1d"))).text
        #expect(json.contains(#""cause":"no_internet","endedAt":null,"location":"unknown","#))
        #expect(json.contains(#""uplink":"lte""#))
        let text = await view.answer(.query(("kind", "uplink_outages"), ("format", "openmetrics"))).text
        #expect(text == "# EOF\n")
    }

    @Test func `it is in nothing that is about the host`() async throws {
        let recorder = try HistoryRecorder.inMemory()
        await recorder.receive([outage("eth1", .noInternet, 300), outage()])
        for kind in ["outages", "transitions"] { #expect(await lines(recorder, kind).count == 1) }
        #expect(try await recorder.lastOutages(5).isEmpty)
        let hour = Int64(Date.now.timeIntervalSince1970 / 3600)
        #expect(try await recorder.uptime(hour - 2...hour).isEmpty)
        let now = Date.now.timeIntervalSince1970
        let period = try #require(ReportPeriod(since: now - 7200, until: now, now: now))
        let report = Report(try await recorder.rows(of: period), of: period)
        #expect(report.outages.isEmpty && report.uptime == Uptime() && report.uplinkOutages.count == 2)
    }

    @Test func `rows survive a restart, and an outage in which the exporter ended has what was observed of it, once`()
        async throws
    {
        let first = try await open()
        await first.receive([outage("eth1", .link, 61.5)])
        await first.receive([outage("lte")])
        let before = try #require(await lines(first).first { $0.hasPrefix("eth1") })
        await first.database.close()

        let second = try await open()
        var rows = await lines(second)
        #expect(rows.count == 3 && rows.contains(before))
        let interrupted = try #require(rows.first { $0.hasPrefix("lte") })
        #expect(interrupted.contains(/^lte,[^,]+Z,[^,]+Z,6\d\d(\.\d+)?,no_internet,unknown$/))
        // It lasts in the next process.
        await second.receive([UplinkOutage("lte", Outage(.noInternet, since: .now))])
        rows = await lines(second)
        #expect(rows.count == 4 && rows.contains(interrupted) && rows.contains(before))
        await second.database.close()

        let third = try await open()
        #expect(await lines(third).count == 4)
        await third.receive([outage("eth2", .route, 1)])
        #expect(await lines(third).count == 5)
        await third.database.close()

        let fourth = try await open()
        #expect(await lines(fourth).count == 5, "the interrupted one has ended")
        await fourth.database.close()
    }

    @Test func `the service stores what happens to the uplinks`() async throws {
        let fixture = try CollectorFixture()
        let recorder = try HistoryRecorder.inMemory()
        var service = HistoryService(
            recorder: recorder,
            states: { AsyncStream { $0.finish() } },
            latency: { LatencySources() },
            section: Locked(HistorySection()),
            cutoff: nil,
            logger: logger
        )
        service.uplinks = fixture.uplinks
        let task = Task { [service] in try await service.run() }
        var configuration = Configuration()
        var rule = UplinkRule("lte")
        rule.match.interface = "eth1"
        configuration.uplinks = [rule]
        fixture.uplinks.apply(configuration)
        fixture.goOnline()
        fixture.uplinks.decide([.blocked(0), .blocked(1)], fixture.health.current)
        var ways: [WayOut] = [.blocked(0), .blocked(1)]
        ways[1].isUsable = false
        fixture.uplinks.decide(ways)
        fixture.pass(.seconds(2))
        fixture.uplinks.decide(ways)
        while await lines(recorder).count < 2 { await Task.yield() }
        #expect(await lines(recorder).last?.contains(/^lte,.*,,\d+\.\d+,link,link$/) == true)
        fixture.uplinks.decide([.blocked(0), .blocked(1)])
        while await lines(recorder).last?.contains(",,") != false { await Task.yield() }
        #expect(await lines(recorder).count == 2)
        task.cancel()
        try await task.value
    }

    @Test func `of a damaged file what can be read is listed`() async throws {
        let recorder = try HistoryRecorder.inMemory()
        try await recorder.database.write { transaction in
            for (uplink, cause, seconds) in [("a", "nonsense", 1.0), ("b", "link", .infinity), ("c", "link", 2)] {
                try transaction.run(
                    "INSERT INTO uplink_outage VALUES (NULL, ?, ?, 9e9, ?, 'nowhere', 0)",
                    [.text(uplink), .text(cause), .real(seconds)]
                )
            }
        }
        let rows = await lines(recorder)
        #expect(rows.count == 2 && rows[1].hasPrefix("c,") && rows[1].hasSuffix(",2.0,link,unknown"))
    }
}
