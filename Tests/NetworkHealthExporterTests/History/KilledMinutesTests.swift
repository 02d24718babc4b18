import Coordination
import Foundation
import Lab
import Logging
import NetworkHealth
import NetworkPath
import Probing
import Statistics
import Storage
import Testing

@testable import NetworkHealthExporter

/// Outages, processes that are stopped and continued, and processes that are killed, against what was true, by the second.
@Suite(.timeLimit(.minutes(3))) struct KilledMinutesTests {
    /// What happens, by the second.
    private struct Script {
        static let length = 1500
        var isLost = [Bool](repeating: false, count: length)
        var isStopped = [Bool](repeating: false, count: length)
        var isDead = [Bool](repeating: false, count: length)

        init(seed: UInt64) {
            var random = SplitMix64(state: seed)
            func mark(_ spans: inout [Bool], _ count: Int, _ lengths: ClosedRange<Int>) {
                for _ in 0..<count {
                    let start = Int.random(in: 10..<Self.length, using: &random)
                    for second in start..<min(Self.length, start + Int.random(in: lengths, using: &random)) {
                        spans[second] = true
                    }
                }
            }
            mark(&isLost, 5, 5...150)
            mark(&isStopped, 4, 8...120)
            mark(&isDead, 3, 3...60)
        }
    }

    /// Seconds of one process, or of all.
    private struct Truth: Equatable {
        var monitored = 0
        var offline = 0

        static func += (sum: inout Truth, part: Truth) {
            sum.monitored += part.monitored
            sum.offline += part.offline
        }
    }

    /// One process: it has the parts of the exporter that count, and the times at which the exporter calls them.
    private struct Process {
        private var reducer = HealthReducer(expectsVerdict: true)
        private let recorder: HistoryRecorder
        private let begin: Int
        private var wasLost: Bool?
        private(set) var truth = Truth()
        /// What is beside the file.
        private(set) var tail: [UInt8]?

        init(_ recorder: HistoryRecorder, at second: Int) { (self.recorder, begin) = (recorder, second) }

        mutating func run(at second: Int, isLost: Bool, _ now: HistoryRecorder.Moment) async {
            for state in reducer.missed(at: now.instant, date: now.date) {
                await recorder.receive(state, counted: reducer.statistics?.outages)
                wasLost = nil
            }
            var states: [HealthState?] = []
            if second == begin {
                states.append(reducer.apply(.measured(at: now.instant), at: now.instant, date: now.date))
            }
            if wasLost != isLost {
                let verdict = InternetVerdict(
                    state: isLost ? .noInternet : .online,
                    cause: isLost ? .upstream : nil,
                    evidenceAt: now.instant,
                    generation: 1
                )
                states.append(reducer.apply(verdict, at: now.instant, date: now.date))
                wasLost = isLost
            }
            for state in states.compactMap(\.self) {
                await recorder.receive(state, counted: reducer.statistics?.outages)
            }
            if second != begin, (second - begin).isMultiple(of: 60) {
                recorder.count(reducer.statistics?.outages, at: now.instant, time: now.date.timeIntervalSince1970)
                await recorder.flush()
            }
            let tail = recorder.tail(
                reducer.statistics?.outages,
                at: now.instant,
                time: now.date.timeIntervalSince1970
            )
            self.tail = tail?.bytes ?? self.tail
            truth.monitored += 1
            truth.offline += isLost ? 1 : 0
            reducer.expectObservation(by: now.instant + .seconds(1))
        }

        func counted(at now: SuspendingClock.Instant) throws -> Uptime {
            var reducer = reducer
            _ = reducer.missed(at: now, date: .now)
            return Uptime(try #require(reducer.statistics?.outages), at: now)
        }
    }

    @Test(arguments: UInt64(1)...20) func `rows and counters are what was true`(seed: UInt64) async throws {
        let script = Script(seed: seed)
        let database = try Database(file: nil, schema: .exporter)
        let (start, date) = (SuspendingClock.now, Date(timeIntervalSince1970: 1_700_000_000))
        let second = Locked(0)
        let now: @Sendable () -> HistoryRecorder.Moment = {
            let second = second.withLock { $0 }
            return (start + .seconds(second), date + Double(second))
        }
        var process: Process?
        var (truth, kills, tail) = (Truth(), 0, [UInt8]())
        for index in 0..<Script.length {
            second.withLock { $0 = index }
            if script.isDead[index], let killed = process {
                truth += killed.truth
                (kills, tail, process) = (kills + 1, killed.tail ?? tail, nil)
            }
            guard !script.isDead[index], !script.isStopped[index] || process == nil else { continue }
            if process == nil {
                // As `OpenedStorage` does.
                if let tail = UptimeTail(tail) { try await database.write { try tail.credit(in: $0) } }
                let interrupted = try await database.read { try HistoryBacklog.interrupted(in: $0) }
                let logger = Logger(label: "test")
                let recorder = HistoryRecorder(database: database, interrupted: interrupted, logger: logger, now: now)
                process = Process(recorder, at: index)
            }
            await process?.run(at: index, isLost: script.isLost[index], now())
            guard let process else { continue }
            let counted = try process.counted(at: now().instant + .seconds(1))
            #expect(abs(counted.monitored - Double(process.truth.monitored)) <= 5, "monitored at \(index)")
            #expect(abs(counted.offlineTotal - Double(process.truth.offline)) <= 5, "offline at \(index)")
        }
        if let process {
            truth += process.truth
            (kills, tail) = (kills + 1, process.tail ?? tail)
        }
        if let tail = UptimeTail(tail) { try await database.write { try tail.credit(in: $0) } }

        let hours = try await database.read { try UptimeHistory.hours(0...1_000_000, in: $0) }
        var uptime = Uptime()
        for hour in hours.values { uptime += hour }
        let recorder = HistoryRecorder(
            database: database,
            interrupted: try await database.read { try HistoryBacklog.interrupted(in: $0) },
            logger: Logger(label: "test")
        )
        await recorder.flush()
        let rows = try await recorder.lastOutages(100).map(\.document.seconds).reduce(0, +)
        // The script has whole seconds, of which a kill loses the one that had begun.
        #expect(
            abs(uptime.monitored - Double(truth.monitored)) <= 5,
            "\(uptime.monitored) of \(truth.monitored), \(kills) kills"
        )
        #expect(
            abs(uptime.offlineTotal - Double(truth.offline)) <= 5,
            "\(uptime.offlineTotal) of \(truth.offline), \(kills) kills"
        )
        #expect(abs(rows - uptime.offlineTotal) <= 5, "rows of \(rows), counted \(uptime.offlineTotal)")
    }
}

extension PathUpdate {
    fileprivate static func measured(at instant: SuspendingClock.Instant) -> PathUpdate {
        var update = PathUpdate.measured
        (update.evidenceAt, update.publishedAt) = (instant, instant)
        return update
    }
}
