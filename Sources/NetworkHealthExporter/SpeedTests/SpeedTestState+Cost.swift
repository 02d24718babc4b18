import FoundationEssentials
import NetworkHealth
import SpeedTestCore
import Statistics

/// What tests cost, by the last one on the present uplink.
extension SpeedTestState {
    /// How often the rest of the month's budget allows a round over the servers.
    func pace(_ network: SpeedTestNetwork, now: Date) -> BudgetPace {
        let cost = section.budget.estimate(lastRun: values(on: network)?.cost(of: section.directions))
        let (round, overflows) = cost.multipliedReportingOverflow(by: testsPerRound)
        return budget.ledger.pace(section.budget, run: overflows ? .max : round, at: now)
    }

    /// The expected bytes of a month's tests, within the budget; nil: not known, or no test leaves this host.
    func bytesPerMonth(_ network: SpeedTestNetwork) -> UInt64? {
        guard section.isActive, !section.isLocal, runsPerMonth > 0,
            let cost = values(on: network)?.cost(of: section.directions)
        else { return nil }
        let bytes = runsPerMonth * Double(cost) * Double(testsPerRound)
        let limit = min(Double(section.budget.perMonth), Double(section.budget.perDay) * 30)
        return UInt64(exactly: min(bytes, limit).rounded()) ?? section.budget.perMonth
    }

    /// What tests on the present uplink have found.
    func values(on network: SpeedTestNetwork) -> SpeedTestResults.Values? {
        results.uplink(section.isLocal ? Uplink.local : network.uplink)
    }

    /// Bytes that tests have moved since the start, the running one included.
    var traffic: ByteCounts {
        var traffic = counters.traffic
        if let running { traffic += running.account.bytes }
        return traffic
    }

    /// Bytes of the budget that are neither used nor reserved.
    func remaining(at now: Date) -> BudgetLedger.Remaining {
        var remaining = budget.ledger.remaining(section.budget, at: now)
        remaining.day -= min(remaining.day, budget.reserved ?? 0)
        remaining.month -= min(remaining.month, budget.reserved ?? 0)
        return remaining
    }

    private var testsPerRound: UInt64 { section.strategy == .each ? UInt64(max(section.servers.count, 1)) : 1 }
}
