import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

extension SpeedTestFacts {
    /// How long a test says something about the line of now.
    private static let span = 86_400.0

    /// Of the direction that something limited, else of the download; nil where a test measured no speed or is old.
    init?(_ report: SpeedTestReport, at now: OutcomeWindow.Instant) {
        let age = Date.now.timeIntervalSince(report.endedAt)
        let transfers = Direction.allCases.compactMap { report[$0] }
        guard let transfer = transfers.first(where: { !$0.limits.isEmpty }) ?? transfers.first,
            (0...Self.span).contains(age)
        else { return nil }
        self.init(server: report.server, at: now - .seconds(age), rate: transfer.rate.bitsPerSecond)
        isLimitedByProcessor = transfer.limits.contains(.cpu)
        isLimitedByCrossTraffic = transfer.limits.contains(.crossTraffic)
        isLimitedByServer = transfer.limits.contains(.server)
        queue = transfer.queue
    }
}
