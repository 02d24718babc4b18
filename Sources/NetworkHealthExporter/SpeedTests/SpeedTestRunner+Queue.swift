import Coordination
import NetworkHealth
import NetworkPath
import SpeedTestCore
import Statistics

extension SpeedTestRunner {
    /// Adds what this host knows about the way of a test that has ended.
    func locate(_ report: inout SpeedTestReport) {
        report.locate(
            board.read { $0.running?.loads ?? [:] },
            over: monitor.current?.path.lowestInterface,
            board.queueLocator
        )
    }
}

extension SpeedTestReport {
    /// Adds what it was measured over, where packets waited, and whether the cable or the port was the limit.
    ///
    /// - Parameters:
    ///   - loads: when each direction was loaded.
    ///   - device: the cable or the radio, also below a tunnel; nil: not known.
    ///   - locate: finds the place of a load.
    mutating func locate(
        _ loads: [Direction: Range<ContinuousClock.Instant>],
        over device: Interface?,
        _ locate: SpeedTestBoard.QueueLocator?
    ) {
        // It crossed neither.
        guard !isLocal else { return }
        link = device.map {
            Link(type: ConnectionType($0.type).rawValue, speedMbps: $0.linkSpeed.map { Double($0) / 1e6 })
        }
        for direction in Direction.allCases {
            guard var transfer = self[direction] else { continue }
            if LinkRule.isLimit(device?.linkSpeed, of: transfer.rate.bitsPerSecond) {
                transfer.limits.insert(.linkSpeed)
            }
            let rise = transfer.loadedLatency.flatMap { loaded in ping.map { loaded - $0.latency } }
            transfer.queue = loads[direction].flatMap { locate?($0, rise) }
            self[direction] = transfer
        }
    }
}
