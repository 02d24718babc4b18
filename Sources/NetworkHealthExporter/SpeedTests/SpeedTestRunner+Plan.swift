import Logging
import NetworkHealth
import NetworkPath
import SpeedTestCore

extension SpeedTestRunner {
    /// Repeats a test that was below the plan, once, and counts what the tests say together.
    func confirm(_ reports: [SpeedTestReport], _ section: SpeedTestSection) async {
        let rule = PlanRule(plan: board.read(\.plan), linkSpeed: linkSpeed)
        var reports = reports
        var again = section
        again.directions = rule.doubts(reports)
        if !again.directions.isEmpty, !Task.isCancelled, isAllowed(),
            let server = rule.server(after: reports, of: section.servers),
            let report = await test(server, again, latencyOnly: false)
        {
            reports.append(report)
        }
        guard let confirmation = rule.confirmation(reports) else { return }
        board.update { $0.count(confirmation) }
        logger.notice("A speed was below the plan", metadata: ["retest": "\(confirmation.rawValue)"])
    }
}
