import NetworkHealth
import SpeedTestCore
import Statistics

/// Whether a test has reached what the plan promises, and what several say together; a pure decision.
///
/// A shortfall is one of the line only where neither this host, its port nor other traffic explains it, and where a second test
/// confirms it.
struct PlanRule: Sendable {
    /// What one test says.
    enum Verdict: Sendable, Equatable {
        case met
        case short
        /// It says nothing about the line: it failed, was not measured, or something else limited it.
        case unknown
    }

    /// What a retest says about a shortfall; the raw values are labels.
    enum Confirmation: String, Sendable, CaseIterable {
        case confirmed, refuted, failed
    }

    let plan: PlanSection
    /// Of the path's device, in bits per second; nil: unknown.
    var linkSpeed: UInt64?

    func verdict(_ report: SpeedTestReport, _ direction: Direction) -> Verdict {
        guard plan.covers(report.uplinkLabel), !report.isLocal, let least = plan[direction].least,
            let transfer = report[direction]
        else { return .unknown }
        // Whatever limited it: it was reached.
        if transfer.rate >= least, !transfer.exceedsDevice { return .met }
        let isPort = LinkRule.isLimit(linkSpeed, of: transfer.rate.bitsPerSecond)
        return transfer.isOfLine && !transfer.limits.contains(.server) && !isPort ? .short : .unknown
    }

    /// The directions in which the tests of one round were short, and nothing else is known of them.
    func doubts(_ reports: [SpeedTestReport]) -> [Direction] {
        Direction.allCases.filter { direction in
            let verdicts = reports.map { verdict($0, direction) }
            return verdicts.contains(.short) && !verdicts.contains(.met)
                && verdicts.count { $0 == .short } == 1
        }
    }

    /// What the tests of one round, with the retest at the end, say about its shortfall; nil: there was none.
    ///
    /// One server that is slow says something about that server; all of them, about the line.
    func confirmation(_ reports: [SpeedTestReport]) -> Confirmation? {
        let results = Direction.allCases.compactMap { direction -> Confirmation? in
            let verdicts = reports.map { verdict($0, direction) }
            guard verdicts.contains(.short) else { return nil }
            if verdicts.contains(.met) { return .refuted }
            return verdicts.count { $0 == .short } > 1 ? .confirmed : .failed
        }
        return [.confirmed, .failed, .refuted].first { results.contains($0) }
    }

    /// The server of the retest: another one where there is one.
    func server(after reports: [SpeedTestReport], of servers: [SpeedTestServer]) -> SpeedTestServer? {
        let used = Set(reports.map(\.server))
        return servers.first { !used.contains($0.name) } ?? servers.first { $0.name == reports.last?.server }
    }
}
