import NetworkHealth
import SpeedTestCore
import Statistics

/// Whether a test has reached what the plan promises, and what several say together; a pure decision.
///
/// A shortfall is one of the line only where neither this host, its cable or port, nor other traffic explains it, and where a second
/// test confirms it.
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

    let plans: Plans

    func verdict(_ report: SpeedTestReport, _ direction: Direction) -> Verdict {
        guard !report.isLocal, let least = plans[report][direction].least,
            let transfer = report[direction]
        else { return .unknown }
        // Whatever limited it: it was reached.
        if transfer.rate >= least, !transfer.exceedsDevice { return .met }
        let isExplained = !transfer.limits.isDisjoint(with: [.server, .linkSpeed]) || transfer.queue == .link
        return transfer.isOfLine && !isExplained ? .short : .unknown
    }

    /// The directions in which the tests of one round were short, and nothing else is known of them; of the uplink of the last one.
    ///
    /// - Parameters:
    ///   - reports: of the round.
    ///   - uplink: the one in use now: a test over another one would say nothing about the first.
    /// - Returns: the directions to be tested again; none after a test that was cancelled.
    func doubts(_ reports: [SpeedTestReport], over uplink: String) -> [Direction] {
        guard let last = reports.last, last.uplink == uplink, last.failure?.reason != .cancelled else { return [] }
        let reports = reports.filter { $0.uplinkKey == last.uplinkKey }
        return Direction.allCases.filter { direction in
            let verdicts = reports.map { verdict($0, direction) }
            return verdicts.contains(.short) && !verdicts.contains(.met)
                && verdicts.count { $0 == .short } == 1
        }
    }

    /// What the tests of one round, with the retest at the end, say about each direction that was short: those over one uplink together.
    func shortfalls(_ reports: [SpeedTestReport]) -> [PlanShortfall] {
        let uplinks = Dictionary(grouping: reports, by: \.uplinkKey).sorted { $0.key < $1.key }
        return uplinks.flatMap { _, reports in shortfalls(reports, reports.first.map { plans[$0] } ?? SpeedPlan()) }
    }

    private func shortfalls(_ reports: [SpeedTestReport], _ plan: SpeedPlan) -> [PlanShortfall] {
        Direction.allCases.compactMap { direction in
            let judged = reports.map { (report: $0, verdict: verdict($0, direction)) }
            let short = judged.filter { $0.verdict == .short }.map(\.report)
            guard let first = short.first, let least = plan[direction].least else { return nil }
            let met = judged.filter { $0.verdict == .met }.map(\.report)
            let confirmation: Confirmation = !met.isEmpty ? .refuted : short.count > 1 ? .confirmed : .failed
            return PlanShortfall(
                uplink: first.uplinkLabel,
                direction: direction,
                confirmation: confirmation,
                location: met.isEmpty ? place(short, direction) : location(short, met),
                first: PlanShortfall.Test(first, direction),
                second: (met.first ?? short.dropFirst().first).map { PlanShortfall.Test($0, direction) },
                least: least,
                normal: plan[direction][.normal],
                named: plan[direction].named ?? least
            )
        }
    }

    /// One server that is slow where another one is not says something about that server; the same one twice, about a moment.
    private func location(_ short: [SpeedTestReport], _ met: [SpeedTestReport]) -> FaultLocation {
        let servers = Set(short.map(\.server))
        return servers.count == 1 && servers.isDisjoint(with: met.map(\.server)) ? .destination : .unknown
    }

    /// All tests that were short say something about the line, where packets waited at one place in two of them at least.
    private func place(_ short: [SpeedTestReport], _ direction: Direction) -> FaultLocation {
        let places = Set(short.map { $0[direction]?.queue?.place ?? .unknown })
        return short.count > 1 && places.count == 1 ? places.first ?? .unknown : .unknown
    }

    /// The server of the retest: another one where there is one.
    func server(after reports: [SpeedTestReport], of servers: [SpeedTestServer]) -> SpeedTestServer? {
        let used = Set(reports.map(\.server))
        return servers.first { !used.contains($0.name) } ?? servers.first { $0.name == reports.last?.server }
    }
}
