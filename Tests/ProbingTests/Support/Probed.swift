import Posix
import Statistics

@testable import Probing

/// A report of probes that answered after so many milliseconds, nil for a lost one, one each `interval` up to now.
func probed(
    _ target: Target,
    _ outcomes: [Int?],
    from address: String = "9.9.9.9",
    every interval: Duration = .seconds(1),
    upTo now: OutcomeWindow.Instant
) -> TargetReport {
    var report = TargetReport(target)
    for (index, outcome) in outcomes.enumerated() {
        var result = outcome.map { ProbeResult.success($0, rtt: $0) } ?? ProbeResult(failure: .timeout)
        result.address = IPAddress(address)
        report.statistics.count(result, at: now - interval * (outcomes.count - 1 - index))
    }
    return report
}

extension Array {
    /// The elements of this, so many times.
    func times(_ count: Int) -> [Element] { (0..<count).flatMap { _ in self } }
}
