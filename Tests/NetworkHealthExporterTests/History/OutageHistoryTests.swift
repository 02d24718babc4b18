import Foundation
import Lab
import Logging
import NetworkHealth
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct OutageHistoryTests {
    private let recorder: HistoryRecorder
    private let view: HistoryView

    init() throws {
        recorder = try HistoryRecorder.inMemory()
        view = HistoryView(recorder: recorder)
    }

    /// An outage that ended at that time after 2023-11-14T22:13:20Z.
    private func end(
        _ cause: OutageCause,
        _ location: FaultLocation? = nil,
        seconds: Double,
        at time: Double
    ) -> Transition {
        var transition = Transition(.online())
        transition.outageLocation = location?.rawValue
        (transition.at, transition.outageCause, transition.outageSeconds) =
            (1_700_000_000 + time, cause.rawValue, seconds)
        return transition
    }

    private func write(_ transitions: [Transition]) async throws {
        try await recorder.database.write { try TransitionHistory.add(transitions, in: $0) }
    }

    private func answer(_ format: String) async -> String {
        await view.answer(.query(("kind", "outages"), ("since", "2023-11-14T00:00:00Z"), ("format", format))).text
    }

    @Test func `each outage is a row, with its start and its end`() async throws {
        let ended = end(.gateway, .router, seconds: 61.5, at: 100)
        try await write([Transition(.offline()), ended, Transition(.online())])
        #expect(
            await answer("csv")
                == "startedAt,endedAt,seconds,cause,location\r\n2023-11-14T22:13:58.500Z,2023-11-14T22:15:00.000Z,61.5,gateway,router\r\n"
        )
        #expect(
            await answer("json")
                == #"[{"cause":"gateway","endedAt":"2023-11-14T22:15:00.000Z","location":"router","seconds":61.5,"startedAt":"2023-11-14T22:13:58.500Z"}]"#
        )
        let text = await answer("openmetrics")
        #expect(text.contains("network_health_last_outage_end_timestamp_seconds 1700000100 1700000100"), "\(text)")
        let info = #"network_health_last_outage_info{cause="gateway",location="router"} 1 1700000100"#
        #expect(text.contains(info), "\(text)")
    }

    @Test func `one whose place was not found says so`() async throws {
        try await write([end(.link, seconds: 1, at: 10), end(.noInternet, .unknown, seconds: 1, at: 20)])
        #expect(try await recorder.lastOutages(5).map(\.document.location) == ["unknown", "unknown"])
        let lines = await answer("csv").split(separator: "\r\n")
        #expect(lines.count == 3 && lines[1].hasSuffix(",1.0,link,unknown"))
    }

    @Test func `the ongoing one is the last, without an end, and is there once when it ends`() async throws {
        await recorder.receive(.online())
        var offline = HealthState.offline()
        offline.outage = Outage(.link, since: .now.advanced(by: .seconds(-10)))
        await recorder.receive(offline)
        #expect(await answer("csv").split(separator: "\r\n").last?.contains(/Z,,\d+\.\d+,link,unknown$/) == true)
        offline.outage?.location = .link
        await recorder.receive(offline)
        #expect(await answer("csv").split(separator: "\r\n").last?.hasSuffix(",link,link") == true)
        var online = HealthState.online()
        online.outage = offline.outage
        online.outage?.length = .seconds(12)
        await recorder.receive(online)
        let rows = await answer("csv").split(separator: "\r\n")
        #expect(rows.count == 2 && rows[1].hasSuffix(",12.0,link,link"))
    }

    @Test func `one that the history has not received yet is that of the current state`() async throws {
        await recorder.receive(.online())
        var offline = HealthState.offline()
        offline.outage = Outage(.link, since: .now - .seconds(10))
        func last(in state: HealthState) async throws -> [OutageRow.Document] {
            try await recorder.lastOutages(5, in: state).map(\.document)
        }
        let begun = try await last(in: offline)
        #expect(begun.map(\.cause) == ["link"] && begun.first?.endedAt == nil)
        await recorder.receive(offline)
        #expect(try await last(in: .online()).map(\.endedAt) == [nil], "an older state changes nothing")
        var online = HealthState.online()
        online.outage = offline.outage
        online.outage?.length = .seconds(12)
        online.datedOutage = DatedOutage(.link, .link, until: 1_700_000_012, seconds: 12)
        let ended = try await last(in: online)
        #expect(ended.map(\.seconds) == [12] && ended.first?.endedAt == "2023-11-14T22:13:32.000Z")
        await recorder.receive(online)
        for state in [online, offline] { #expect(try await last(in: state).count == 1) }
    }

    @Test func `the time of one that may be over stands still`() async throws {
        var offline = HealthState.offline()
        let since = SuspendingClock.now - .seconds(100)
        offline.outage = Outage(.gateway, since: since)
        offline.outageHeldSince = since + .seconds(40)
        await recorder.receive(offline)
        let row = try #require(try await recorder.lastOutages(1).first)
        #expect(row.document.seconds == 40 && row.document.endedAt == nil)
        let start = try #require(RFC3339.parse(row.document.startedAt))
        // As long ago as it began, however long this test has taken.
        let age = since.duration(to: .now) / .seconds(1)
        #expect((age - 1...age + 1).contains(Date.now.timeIntervalSince1970 - start))
    }

    @Test func `the last five come the newest first, with the ongoing one before them`() async throws {
        for index in 1...6 { try await write([end(.noInternet, seconds: Double(index), at: Double(index) * 100)]) }
        func last() async throws -> [Double] { try await recorder.lastOutages(5).map(\.document.seconds) }
        #expect(try await last() == [6, 5, 4, 3, 2])
        await recorder.receive(.online())
        var offline = HealthState.offline()
        offline.outage = Outage(.link, since: .now)
        await recorder.receive(offline)
        let outages = try await recorder.lastOutages(5).map(\.document)
        #expect(outages.count == 5 && outages[0].endedAt == nil && outages[0].cause == "link")
        #expect(outages.dropFirst().map(\.seconds) == [6, 5, 4, 3])
    }

    @Test func `an outage that waits to be written is listed`() async throws {
        await recorder.receive(.online())
        try await recorder.database.write { transaction in
            try transaction.run(
                "CREATE TRIGGER full BEFORE INSERT ON \"transition\" BEGIN SELECT RAISE(ABORT, 'no room'); END"
            )
        }
        var offline = HealthState.offline()
        offline.outage = Outage(.link, since: .now)
        await recorder.receive(offline)
        var online = HealthState.online()
        online.outage = offline.outage
        online.outage?.length = .seconds(12)
        await recorder.receive(online)
        #expect(try await recorder.lastOutages(5).map(\.document.seconds) == [12])
    }

    @Test func `an outage in which the exporter ended is two, up to its end and from the next start on`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/state.db"
        let logger = Logger(label: "test")
        func open() async throws -> (OpenedStorage, HistoryRecorder) {
            let storage = try await OpenedStorage(file: file, logger: logger)
            let recorder = HistoryRecorder(
                database: storage.database,
                interrupted: storage.interrupted,
                logger: logger
            )
            return (storage, recorder)
        }
        func offline(_ seconds: Double) -> HealthState {
            var offline = HealthState.offline()
            offline.outage = Outage(.gateway, since: .now.advanced(by: .seconds(-seconds)))
            return offline
        }
        let (_, first) = try await open()
        await first.receive(.online())
        let lost = offline(600)
        await first.receive(lost)
        var located = lost
        located.outage?.location = .access
        var counted = OutageTracker(startedAt: .now.advanced(by: .seconds(-700)))
        counted.began(.gateway, since: .now.advanced(by: .seconds(-600)))
        await first.receive(located, counted: counted)
        await first.database.close()

        let (storage, second) = try await open()
        #expect(
            storage.interrupted.transitions.map(\.status) == ["disconnected"]
                && storage.interrupted.transitions[0].online == nil
        )
        #expect(storage.lastOutage?.cause == .gateway && storage.lastOutage?.end != nil)
        #expect(storage.lastOutage?.location == .access, "as it was written when it was found")
        await second.receive(offline(5))
        var online = HealthState.online()
        online.outage = Outage(.gateway, since: .now, length: .seconds(60))
        await second.receive(online)
        let rows = try await second.lastOutages(5).map(\.document)
        #expect(rows.count == 2 && rows.contains { $0.seconds >= 600 })
        #expect(rows.contains { $0.seconds == 60 } && rows.allSatisfy { $0.endedAt != nil })
        await second.database.close()

        let (last, third) = try await open()
        #expect(last.interrupted.isEmpty, "the outage has ended")
        #expect(try await third.lastOutages(5).count == 2)
        await third.database.close()
    }
}
