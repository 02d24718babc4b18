import CMemory
import Coordination
import FoundationEssentials
import Logging
import NetworkHealth
import NetworkPath
import Posix
import SpeedTestCore
import Statistics

/// Runs one round of tests, accounts for their bytes, and ends a test when the path no longer allows it.
struct SpeedTestRunner: Sendable {
    let board: SpeedTestBoard
    let monitor: HealthMonitor
    let sections: Broadcast<SpeedTestSection>
    let history: SpeedTestHistory?
    let roots: Roots
    let now: @Sendable () -> Date
    let logger: Logger

    func run(latencyOnly: Bool) async {
        let section = board.update { state in
            state.begin(SpeedTestNetwork(monitor.current), now: now())
            return state.section
        }
        var wait: Duration?
        var hasSucceeded = false
        var reports: [SpeedTestReport] = []
        for (index, server) in section.servers.enumerated() {
            // The path or the budget may have changed since the first server.
            guard index == 0 || isAllowed() else { break }
            guard let report = await test(server, section, latencyOnly: latencyOnly) else { break }
            reports.append(report)
            wait = [wait, report.failure?.retryAfter].compactMap(\.self).max()
            hasSucceeded = hasSucceeded || report.failure == nil
            let isEnough = hasSucceeded && section.strategy == .firstWorking
            if isEnough || Task.isCancelled || report.failure?.reason == .cancelled { break }
        }
        await confirm(reports, section)
        // Much of what the test has used is not used before the next one.
        NoiseBuffer.discard()
        malloc_trim(0)
        let network = SpeedTestNetwork(monitor.current)
        let bytesPerMonth = board.update { state in
            // The speed is still to be measured for the first time after a latency-only test.
            state.end(network, hasSucceeded: hasSucceeded && !latencyOnly, now: now())
            // A server that requests a pause delays nothing while another one answers.
            if let wait, !hasSucceeded { state.retryAfter(wait, now: now()) }
            return state.takeNewBytesPerMonth(network)
        }
        await save()
        if let bytesPerMonth { logger.info("Speed tests use \(SpeedTestText.perMonth(bytesPerMonth))") }
        logStretch()
    }

    /// Logs when the next test comes, where the budget delays it.
    func logStretch() {
        guard let delay = board.read({ $0.stretchedDelay(at: now()) }) else { return }
        logger.info("The budget stretches the gaps of the speed tests: next test in \(SpeedTestText.delay(delay))")
    }

    /// Whether the path and the budget allow another test; a refusal is counted.
    func isAllowed() -> Bool {
        let network = SpeedTestNetwork(monitor.current)
        return board.update { $0.refuse(network, now: now()) } == nil
    }

    /// Stores the schedule, the budget and the reports that are not stored yet.
    ///
    /// - Returns: Whether they are on the disk; true without a history, which has no disk.
    @discardableResult
    func save() async -> Bool {
        var failure: (any Error)?
        do { if let history { try await store(in: history) } } catch { failure = error }
        guard board.update({ $0.noteStored(failure == nil) }) else { return failure == nil }
        // A disk that is full stays so for many attempts.
        if let failure {
            logger.error(
                "Cannot store results, schedule and budget of speed tests; none starts until that works: \(failure)"
            )
        } else {
            logger.notice("Results, schedule and budget of speed tests are stored again")
        }
        return failure == nil
    }

    private func store(in history: SpeedTestHistory) async throws {
        if board.read(\.isProvisional) {
            let saved = try await history.loadForWriting()
            let (isNew, state) = board.update { state in (state.restore(saved, now: now()), state) }
            if isNew { monitor.learn(state.results, of: state.section.directions) }
        }
        let taken = Locked<[SpeedTestReport]>([])
        do {
            try await history.save { [board] in
                let (reports, stored) = board.update { ($0.takeUnstored(), $0.stored) }
                taken.withLock { $0 += reports }
                return (reports, stored)
            }
        } catch {
            board.update { $0.keepUnstored(taken.withLock { $0 }) }
            throw error
        }
    }

    /// The traffic of the path's device now, measured over a second.
    func linkLoad() async -> [Direction: BitRate]? {
        let (section, device) = (board.read(\.section), monitor.current?.path.interface?.name)
        guard section.whenBusy != .run, let device, let before = counters(of: device) else { return nil }
        let start = ContinuousClock.now
        guard (try? await Task.sleep(for: .seconds(1))) != nil, let after = counters(of: device) else { return nil }
        let seconds = start.duration(to: .now).seconds
        // A device that was created anew counts from 0.
        func rate(_ new: UInt64, _ old: UInt64) -> BitRate {
            BitRate(bytesPerSecond: Double(new - min(new, old)) / seconds)
        }
        return [
            .download: rate(after.received, before.received), .upload: rate(after.transmitted, before.transmitted),
        ]
    }

    // MARK: One server

    /// - Returns: nil where the reservation could not be stored: a budget that is not on the disk does not hold.
    func test(
        _ server: SpeedTestServer,
        _ section: SpeedTestSection,
        latencyOnly: Bool
    ) async -> SpeedTestReport? {
        let uplink = server.isThisHost ? Uplink.local : SpeedTestNetwork(monitor.current).uplink
        let (state, name) = (board.state, board.name(of: uplink))
        let allowance = state.allowance(now: now())
        var options = section.options(directions: latencyOnly ? [] : section.directions)
        options.byteLimit = section.budget.shares(of: allowance, directions: options.directions)
        let expected = state.results.uplink(uplink)?.rates.values.max()
        let lease = BudgetLease(limit: allowance, expectedRate: expected?.bytesPerSecond)
        // A provisional budget may be larger than the one that is read when the reservation is stored.
        guard !state.isProvisional, await reserve(lease.reserved) else {
            board.update { $0.refuseServer(at: now()) }
            logger.debug("Speed test skipped", metadata: ["reason": "\(SkipReason.storage.rawValue)"])
            return nil
        }
        let account = TrafficAccount()
        board.update { $0.beginServer(account) }
        logger.info("Speed test begins", metadata: ["server": "\(server.name)"])
        let engine = SpeedTestEngine(
            server: server,
            options: options,
            userAgent: Version.userAgent,
            account: account
        )
        let watches: [(Interruption, @Sendable () async -> Void)] = [
            (.path, { await waitUntilForbidden(server, section, uplink, latencyOnly: latencyOnly) }),
            (.configuration, { await waitUntilUnwanted(server, limit: min(allowance, section.budget.perRun)) }),
            (.storage, { await extendLease(lease, account) }),
        ]
        var report = await withTaskGroup(of: Ended.self) { group in
            group.addTask { .test(await engine.run { progress in board.advance(progress) }) }
            for (interruption, watch) in watches {
                group.addTask {
                    await watch()
                    return .watch(interruption)
                }
            }
            // The first that ends cancels the others; the test then reports what it has measured so far.
            var report = SpeedTestReport(server: server.name, protocol: server.dialect, host: "", startedAt: .now)
            var first: Interruption?
            for await ended in group {
                switch ended {
                case .test(let ended): report = ended
                // A watch of a stopped exporter ends as well, and interrupts nothing.
                case .watch(let interruption) where !group.isCancelled && !Task.isCancelled: first = interruption
                case .watch: break
                }
                group.cancelAll()
            }
            return first.map { report.interrupted(by: $0) } ?? report
        }
        (report.uplink, report.isLatencyOnly) = (report.isLocal ? Uplink.local : uplink, latencyOnly)
        // One that crossed two lines behind one router is of neither.
        report.uplinkName = report.isLocal || name != board.name(of: uplink) ? nil : name
        locate(&report)
        report = report.rounded
        finish(report)
        return report
    }

    /// Hands a report to the state, the quality, the stream and the log.
    ///
    /// The next reservation stores it, or the end of the round: between the last report and that end nothing waits for
    /// the disk, so that a reader of the report can request a test.
    private func finish(_ report: SpeedTestReport) {
        let (known, directions) = board.update { state in
            state.endServer(report, now: now())
            return (state.results.uplink(report.uplink), state.section.directions)
        }
        if let known { monitor.learn(known, of: directions) }
        board.news.send(.ended(report))
        log(report)
    }

    private func log(_ report: SpeedTestReport) {
        var metadata: Logger.Metadata = ["server": "\(report.server)"]
        for direction in Direction.allCases {
            if let rate = report[direction]?.rate {
                metadata["\(direction.rawValue)_mbps"] = "\(SpeedTestText.rounded(rate.megabits))"
            }
        }
        if let failure = report.failure {
            metadata["reason"] = "\(failure.reason.rawValue)"
            logger.warning("Speed test failed: \(failure)", metadata: metadata)
        } else {
            logger.info("Speed test ended", metadata: metadata)
        }
    }

    /// Returns when the uplink has changed, or when the path now costs what this test must not cause.
    private func waitUntilForbidden(
        _ server: SpeedTestServer,
        _ section: SpeedTestSection,
        _ uplink: String,
        latencyOnly: Bool
    ) async {
        func forbids(_ rule: SpeedTestCostRule) -> Bool { rule == .skip || rule == .latencyOnly && !latencyOnly }
        for await state in monitor.changes() where !server.isThisHost {
            let now = SpeedTestNetwork(state)
            let isForbidden =
                now.isExpensive != false && forbids(section.onExpensive)
                || now.isConstrained && forbids(section.onConstrained)
            if isForbidden || now.uplink != uplink { return }
        }
    }

    /// Returns when the configuration no longer contains this server, or allows fewer bytes than the test may use.
    private func waitUntilUnwanted(_ server: SpeedTestServer, limit: UInt64) async {
        for await section in sections.values() {
            // What the running test has used is not charged yet.
            let left = board.read { $0.budget.ledger.remaining(section.budget, at: now()).run }
            if !section.isActive || !section.servers.contains(server) || left < limit { return }
        }
    }

    /// Stores each reservation before its bytes are used; returns when one cannot be stored.
    private func extendLease(_ lease: BudgetLease, _ account: TrafficAccount) async {
        var lease = lease
        var rate = TrafficRate()
        while (try? await Task.sleep(for: Self.leaseInterval)) != nil {
            let used = account.bytes.total
            let isLonger = lease.extend(used: used, bytesPerSecond: rate.add(used, at: .now))
            if isLonger, !(await reserve(lease.reserved)) { return }
        }
    }

    /// Between two looks at the bytes, which have no event.
    private static let leaseInterval = Duration.milliseconds(100)

    private func reserve(_ bytes: UInt64) async -> Bool {
        board.update { $0.reserve(bytes) }
        return await save()
    }

    private enum Ended: Sendable {
        case test(SpeedTestReport)
        case watch(Interruption)
    }

    // MARK: The device

    /// The kernel's counters at this moment; the path monitor's may be 4 s old.
    private func counters(of device: String) -> ByteCounts? {
        func read(_ name: String) -> UInt64? {
            let file = "\(roots.sysfs)/class/net/\(device)/statistics/\(name)_bytes"
            return (try? SmallFile.read(file)).flatMap { UInt64(String(decoding: $0, as: UTF8.self).trimmed) }
        }
        guard let received = read("rx"), let transmitted = read("tx") else { return nil }
        return ByteCounts(received: received, transmitted: transmitted)
    }
}

/// The rate of about the last second, from a growing total.
struct TrafficRate {
    private var samples: [(bytes: UInt64, at: ContinuousClock.Instant)] = []

    /// Takes the present total; returns bytes per second.
    mutating func add(_ bytes: UInt64, at now: ContinuousClock.Instant) -> Double {
        samples.append((bytes, now))
        // Keeps the last sample before the window: the rate is that since then.
        while samples.count > 2, samples[1].at <= now - .seconds(1) { samples.removeFirst() }
        guard let first = samples.first, first.at < now else { return 0 }
        return Double(bytes - min(bytes, first.bytes)) / (first.at.duration(to: now) / .seconds(1))
    }
}
