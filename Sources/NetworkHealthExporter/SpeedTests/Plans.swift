import NetworkHealth
import NetworkPath
import SpeedTestCore

/// What the contracts promise: that of the line, and those of uplinks that have their own.
struct Plans: Sendable, Equatable {
    /// The key `plan`.
    var line = PlanSection()
    /// The key `uplinks`, with a plan or without.
    var uplinks: [UplinkRule] = []

    /// What is promised of a test; empty: nothing, as of one that does not leave this host.
    subscript(report: SpeedTestReport) -> SpeedPlan { self[report.uplink, name: report.uplinkName] }

    /// What is promised of the tests over an uplink.
    ///
    /// - Parameters:
    ///   - uplink: as a test has it, such as `eth0 192.0.2.1`.
    ///   - found: its name at that time; nil: none.
    subscript(uplink: String, name found: String?) -> SpeedPlan {
        guard uplink != Uplink.local else { return SpeedPlan() }
        let name = name(of: uplink, found: found)
        let own = uplinks.first { $0.name == name }?.plan ?? SpeedPlan()
        guard own == SpeedPlan() else { return own }
        return ["", name, Uplink(name: uplink)?.label ?? uplink].contains(line.uplink) ? line.speeds : own
    }

    /// The name that the rules of now give the uplink of a test; nil: none.
    ///
    /// A network or a public address is known at the time of the test only: one that was found by it stays. By device and router an earlier
    /// test has the name of now, too. `uplink`: as a test has it; `found`: its name at the time of the test.
    func name(of uplink: String, found: String?) -> String? {
        guard let way = Uplink(name: uplink) else { return nil }
        let rule = uplinks.first { $0.match.isOfMoment ? $0.name == found : $0.matches(way) }
        return rule?.name
    }

    /// A test with the name that its uplink has now.
    func named(_ report: SpeedTestReport) -> SpeedTestReport {
        var report = report
        report.uplinkName = name(of: report.uplink, found: report.uplinkName)
        return report
    }

    /// Each plan with the label `uplink` of its metrics: that of the line, and those of uplinks, by their names.
    var named: [(uplink: String, speeds: SpeedPlan)] {
        let own = uplinks.filter { $0.plan != SpeedPlan() }.map { (uplink: $0.name, speeds: $0.plan) }
        // Two series of one name would fail the whole scrape.
        guard line.speeds != SpeedPlan(), !own.contains(where: { $0.uplink == line.uplink }) else { return own }
        return [(uplink: line.uplink, speeds: line.speeds)] + own
    }
}

extension Configuration {
    /// What the contracts promise.
    var plans: Plans { Plans(line: plan, uplinks: uplinks) }
}
