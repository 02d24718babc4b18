import Foundation
import Probing

/// A target that is probed, as the exporter reads it.
struct ProbedTarget {
    private(set) var report: TargetReport

    init(_ name: String = "here", _ probe: any Probe = ICMPProbe()) {
        var target = Target(name: name, address: "192.0.2.1", probe: probe)
        target.countsForLatency = true
        report = TargetReport(target)
    }

    /// Counts probes that took so many milliseconds, nil for one that failed.
    mutating func probe(_ outcomes: Double?...) { for outcome in outcomes { probe(outcome) } }

    mutating func probe(_ outcome: Double?) {
        var result = ProbeResult(failure: outcome == nil ? .timeout : nil)
        result.rtt = outcome.map { .microseconds(Int64($0 * 1000)) }
        report.statistics.count(result, at: .now)
        _ = report.statistics.show(result, at: .now)
    }

    var sources: LatencySources { LatencySources(targets: [report]) }
}
