import Coordination
import Logging
import NetworkHealth
import NetworkPath
import SpeedTestCore

extension SpeedTestRunner {
    /// Repeats a test that was below the plan, once, and reports what the tests say together.
    func confirm(_ reports: [SpeedTestReport], _ section: SpeedTestSection) async {
        let rule = PlanRule(plans: board.read(\.plans))
        var reports = reports
        var again = section
        again.directions = rule.doubts(reports, over: SpeedTestNetwork(monitor.current).uplink)
        if !again.directions.isEmpty, !Task.isCancelled, isAllowed(),
            let server = rule.server(after: reports, of: section.servers),
            let report = await test(server, again, latencyOnly: false)
        {
            reports.append(report)
        }
        for shortfall in rule.shortfalls(reports) {
            board.update { $0.count(shortfall.confirmation) }
            logger.notice(
                "\(shortfall.sentence)",
                metadata: [
                    "retest": "\(shortfall.confirmation.rawValue)", "location": "\(shortfall.location.rawValue)",
                ]
            )
            if shortfall.confirmation == .confirmed { board.shortfalls.send(shortfall) }
        }
    }
}
