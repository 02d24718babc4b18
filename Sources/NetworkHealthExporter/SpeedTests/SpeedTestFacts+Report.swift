import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

extension SpeedTestFacts {
    /// How long a test says something about the line of now.
    private static let span = 86_400.0
    /// How far apart two tests are at most that say something about each other.
    private static let round = 600.0

    /// Of the direction that reached the least of what the plan promises.
    ///
    /// Without a plan of the one that something limited, else of the download. nil where a test measured no speed or is old.
    ///
    /// - Parameters:
    ///   - report: the last test.
    ///   - others: what is known of each server.
    ///   - plans: what the contracts promise.
    ///   - now: the time.
    init?(
        _ report: SpeedTestReport,
        beside others: [SpeedTestResults.Values] = [],
        _ plans: Plans,
        at now: OutcomeWindow.Instant
    ) {
        let age = Date.now.timeIntervalSince(report.endedAt)
        let transfers = Direction.allCases.compactMap { direction in
            report[direction].map {
                (transfer: $0, promised: plans[report][direction].usual, direction: direction)
            }
        }
        func share(_ one: (transfer: DirectionReport, promised: BitRate?, direction: Direction)) -> Double? {
            one.promised.map { one.transfer.rate.bitsPerSecond / $0.bitsPerSecond }
        }
        let compared = transfers.filter { $0.promised != nil }.min { share($0) ?? 1 < share($1) ?? 1 }
        let limited = transfers.first { !$0.transfer.limits.isEmpty }
        guard let (transfer, promised, direction) = compared ?? limited ?? transfers.first,
            (0...Self.span).contains(age)
        else {
            return nil
        }
        self.init(server: report.server, at: now - .seconds(age), rate: transfer.rate.bitsPerSecond)
        expected = promised?.bitsPerSecond
        isLimitedByProcessor = transfer.isProcessorBusy
        isLowerBound = transfer.isLowerBound
        isLimitedByCrossTraffic = transfer.limits.contains(.crossTraffic)
        isLimitedByServer = transfer.limits.contains(.server)
        queue = transfer.queue
        reachedBy =
            others.first { other in
                guard other.last.server != report.server, other.last.uplinkKey == report.uplinkKey, let promised,
                    let measured = other.transfers[direction], !measured.value.exceedsDevice
                else { return false }
                return abs(measured.at.timeIntervalSince(report.endedAt)) <= Self.round
                    && measured.value.rate >= promised
            }?.last.server
    }
}
