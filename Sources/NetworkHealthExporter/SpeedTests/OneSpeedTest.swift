import SpeedTestCore

/// A test that a command makes by itself, without schedule and books; one run's budget holds all the same.
struct OneSpeedTest: Sendable {
    let section: SpeedTestSection
    let directions: [Direction]
    var display = ProgressDisplay(isShown: false)

    /// Tries the servers in turn until one gives all it is asked for; nil without a server.
    ///
    /// A failure after which another server is tried is written to standard error; the last one is in the report alone.
    func run(_ servers: [SpeedTestServer]) async -> SpeedTestReport? {
        var last: SpeedTestReport?
        for server in servers {
            if let last, let failure = last.failure { StandardError.write("\(last.server.name): \(failure)\n") }
            let report = await measure(server)
            last = report
            if report.failure == nil { break }
        }
        return last
    }

    private func measure(_ server: SpeedTestServer) async -> SpeedTestReport {
        var options = section.options(directions: directions)
        options.byteLimit = section.budget.shares(of: section.budget.perRun, directions: directions)
        let engine = SpeedTestEngine(
            server: server,
            options: options,
            userAgent: Version.userAgent,
            account: TrafficAccount()
        )
        let report = await engine.run { [display] in display.show($0) }
        display.clear()
        return report
    }
}
