import Foundation
import Lab
import Logging
import NetworkHealth
import Storage
import Testing

@testable import NetworkHealthExporter

@Suite(.timeLimit(.minutes(3))) struct LastOutageTests {
    private let logger = Logger(label: "test")

    @Test func `survives a restart with the times that it had, once it has ended`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/state.db"
        let first = try await OpenedStorage(file: file, logger: logger)
        #expect(first.lastOutage == nil)
        let recorder = HistoryRecorder(database: first.database, logger: logger)
        let since = SuspendingClock().now
        let length = Duration.microseconds(7_500_400)
        var ended: [DatedOutage] = []
        await recorder.receive(.online())
        for cause in [OutageCause.gateway, .link] {
            var (offline, online) = (HealthState.offline(), HealthState.online())
            offline.outage = Outage(cause, since: since)
            await recorder.receive(offline)
            let outage = Outage(cause, since: since, length: length)
            online.outage = outage
            await recorder.receive(online)
            ended.append(DatedOutage(outage, at: since.advanced(by: length), date: online.timestamp))
        }
        await first.database.close()

        let second = try await OpenedStorage(file: file, logger: logger)
        #expect(second.lastOutage != nil && second.lastOutage == ended.last)
        // An outage that the process does not see the end of: what was observed of it.
        var offline = HealthState.offline()
        offline.outage = Outage(.route, since: since)
        await HistoryRecorder(database: second.database, logger: logger).receive(offline)
        await second.database.close()

        let third = try await OpenedStorage(file: file, logger: logger)
        #expect(third.lastOutage?.cause == .route && third.lastOutage?.end != nil)
        await third.database.close()
    }

    @Test func `a damaged row is none`() async throws {
        let database = try Database(file: nil, schema: .exporter)
        try await database.write { transaction in
            var row = Transition(.online())
            (row.outageCause, row.outageSeconds) = ("link", .infinity)
            try TransitionHistory.add([row], in: transaction)
        }
        let last = try await database.read { try TransitionHistory.lastOutage(in: $0) }
        #expect(last == nil)
        await database.close()
    }
}
