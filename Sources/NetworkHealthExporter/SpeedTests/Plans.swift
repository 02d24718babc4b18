import NetworkHealth

/// What the contracts promise: that of the line, and those of uplinks that have their own.
struct Plans: Sendable, Equatable {
    /// The key `plan`.
    var line = PlanSection()
    /// The key `uplinks`, with a plan or without.
    var uplinks: [UplinkRule] = []

    /// What is promised of the tests over an uplink; empty: nothing, as of those that do not leave this host.
    ///
    /// - Parameter uplink: as a test has it, such as `eth0 192.0.2.1`.
    subscript(uplink: String) -> SpeedPlan {
        guard uplink != Uplink.local else { return SpeedPlan() }
        let way = Uplink(name: uplink)
        let own = uplinks.first { rule in way.map(rule.matches) ?? false }?.plan ?? SpeedPlan()
        guard own == SpeedPlan() else { return own }
        return ["", way?.label ?? uplink].contains(line.uplink) ? line.speeds : own
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
