import Locking
import NetworkHealth
import NetworkPath
import SpeedTestCore
import Statistics

extension SpeedTestRunner {
    /// Adds what this host knows about the way of a test that has ended.
    func locate(_ report: inout SpeedTestReport) {
        report.locate(
            board.read { $0.running?.loads ?? [:] },
            linkSpeed: linkSpeed,
            board.queueLocator.withLock { $0 }
        )
    }

    /// Of the cable or the radio, also below a tunnel, in bits per second; nil: unknown.
    var linkSpeed: UInt64? { monitor.current?.path.lowestInterface?.linkSpeed }
}

extension SpeedTestReport {
    /// Adds where packets waited, and whether the cable or the port was the limit.
    ///
    /// - Parameters:
    ///   - loads: when each direction was loaded.
    ///   - linkSpeed: that of the device, in bits per second; nil: not known.
    ///   - locate: finds the place of a load.
    mutating func locate(
        _ loads: [Direction: Range<ContinuousClock.Instant>],
        linkSpeed: UInt64?,
        _ locate: SpeedTestBoard.QueueLocator?
    ) {
        // It crossed neither.
        guard !isLocal else { return }
        for direction in Direction.allCases {
            guard var transfer = self[direction] else { continue }
            if LinkRule.isLimit(linkSpeed, of: transfer.rate.bitsPerSecond) { transfer.limits.insert(.linkSpeed) }
            let rise = transfer.loadedLatency.flatMap { loaded in ping.map { loaded - $0.latency } }
            transfer.queue = loads[direction].flatMap { locate?($0, rise) }
            self[direction] = transfer
        }
    }
}
