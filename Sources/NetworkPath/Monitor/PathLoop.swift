import Coordination
import Glibc
import Netlink
import Posix

/// The monitor's thread: waits for the kernel, NetworkManager, the resolver's file and the clock, and publishes paths.
///
/// Everything here belongs to that one thread; `PathRun` brings messages in and `PathOutput` takes results out.
struct PathLoop: ~Copyable {
    /// How long the first path waits for NetworkManager; after that its facts arrive as a change.
    private static let firstPathTimeout = Duration.milliseconds(30)
    /// From one resync to the next, at least.
    private static let resyncPause = Duration.seconds(1)
    /// The longest wait in one piece.
    ///
    /// The kernel sends no event when this process is stopped (SIGSTOP), so the time until the end of the piece counts as observed
    /// (`ObservationGap`). A few stops in five minutes must stay below the 5 s by which the uptime may be wrong. A resume of the machine
    /// is noticed at the end of the piece.
    private static let pulse = Duration.seconds(1)
    /// Between two tries to read a kernel that refuses.
    private static let retryPause = (min: Duration.seconds(1), max: Duration.seconds(30))

    private struct Resync {
        var reason: PathStatistics.Resync
        var at: SuspendingClock.Instant
    }

    private var configuration: PathConfiguration
    private let run: PathRun
    private let output: PathOutput
    private var settler: PathSettler
    private var networkManager: NetworkManagerClient?
    private let resolverWatch: DirectoryWatch?
    private var hasPublished = false
    /// Until when the first path may settle; nil before the kernel was read.
    private var settlesBy: SuspendingClock.Instant?

    private var nextDriftCheck: SuspendingClock.Instant
    private var counterReadings: CounterReadings
    private var carried = CarriedDevices()
    /// The devices that have had a default route, also before the kernel could not be read for a time.
    private var seenDevices: Set<Int32> = []
    /// Who waits for the ways out.
    private var surveys: [@Sendable ([WayOut]?) -> Void] = []
    private var lastResync: SuspendingClock.Instant?
    private var resync: Resync?
    private var interruptedDumps: UInt64 = 0
    private var presence = Presence()

    init(_ run: PathRun, configuration: PathConfiguration, output: PathOutput) {
        self.run = run
        self.configuration = configuration
        self.output = output
        settler = PathSettler(timings: configuration.timings)
        networkManager =
            configuration.watchesNetworkManager ? NetworkManagerClient(busAddress: configuration.busAddress) : nil
        // Without inotify (a limit of the user's) the resolvers are read with each evaluation and drift check.
        resolverWatch = try? DirectoryWatch(paths: [configuration.resolvConf, configuration.resolvedConf])
        nextDriftCheck = .now + configuration.driftInterval
        counterReadings = CounterReadings(at: .now)
    }

    /// Runs until it is stopped; a kernel that cannot be read is tried again after 1 to 30 s.
    mutating func perform() {
        var pause = Self.retryPause.min
        while !run.mailbox.isStopped {
            let began = SuspendingClock.now
            do {
                try watch()
            } catch {
                output.report(failure: "\(error)")
                run.ready.signal()
                if began.duration(to: .now) > pause { pause = Self.retryPause.min }
                output.onWait(.now + pause)
                run.mailbox.wait(upTo: pause)
                takeMessages(nil, at: .now)
                run.ready.drain()
                pause = min(pause * 2, Self.retryPause.max)
            }
        }
        takeMessages(nil, at: .now)
        output.end()
    }

    /// Follows the kernel until stopped, or until a socket fails.
    private mutating func watch() throws(NetlinkError) {
        var kernel = try NetlinkState(configuration)
        try kernel.resync(at: .now)
        if !kernel.isConsistent { requestResync(.dumpInterrupted, at: .now) }
        let firstPathDeadline = SuspendingClock.now + Self.firstPathTimeout
        settlesBy = settlesBy ?? .now + Outage.startGrace
        interruptedDumps = 0
        output.report(failure: nil)
        kernel.state.networkManager = networkManager?.facts
        kernel.state.awaitsNetworkManager = networkManager?.isSettled == false
        settler.event(at: .now)

        while !run.mailbox.isStopped {
            let due = hasPublished ? evaluationDeadline(kernel) : firstPathDeadline
            if let due, due <= .now || !hasPublished && networkManager?.isSettled ?? true {
                try evaluate(&kernel, at: .now)
            }
            wait(kernel, until: hasPublished ? nextDeadline(kernel) : firstPathDeadline)
            takeMessages(kernel.state, at: .now)
            if !surveys.isEmpty { try survey(&kernel) }
            try takeEvents(&kernel, at: .now)
            try readWhatIsDue(&kernel, at: .now)
        }
    }

    // MARK: Waiting

    private func evaluationDeadline(_ kernel: borrowing NetlinkState) -> SuspendingClock.Instant? {
        [settler.deadline(), kernel.routesDueAt].compactMap(\.self).min()
    }

    private func nextDeadline(_ kernel: borrowing NetlinkState) -> SuspendingClock.Instant {
        let deadlines = [evaluationDeadline(kernel), counterReadings.due, resync?.at]
        return deadlines.compactMap(\.self).reduce(nextDriftCheck, min)
    }

    private mutating func wait(_ kernel: borrowing NetlinkState, until deadline: SuspendingClock.Instant) {
        var descriptors = [run.mailbox.number, kernel.number, resolverWatch?.number].compactMap(\.self).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        if let (number, events) = networkManager?.pollRequest {
            descriptors.append(pollfd(fd: number, events: events, revents: 0))
        }
        let end = min(deadline, networkManager?.deadline ?? deadline)
        repeat {
            let now = SuspendingClock.now
            presence.due = max(now, min(end, now + Self.pulse))
            output.onWait(presence.due)
            Poll.wait(for: &descriptors, upTo: now.duration(to: presence.due))
        } while presence.due < end && descriptors.allSatisfy { $0.revents == 0 } && !presence.isBroken(at: .now)
    }

    // MARK: Events

    private mutating func takeMessages(_ state: RawState?, at now: SuspendingClock.Instant) {
        for message in run.mailbox.take().messages {
            switch message {
            case .configuration(let new):
                configuration = new
                settler.timings = new.timings
                settler.event(at: now)
            case .stateRequest(let answer): answer(state)
            case .survey(let answer): surveys.append(answer)
            case .counters(let answer): counterReadings.request(at: now, answer)
            }
        }
        // Without a kernel nothing would answer them.
        if state == nil {
            answerSurveys(nil)
            counterReadings.answer()
        }
    }

    private mutating func takeEvents(
        _ kernel: inout NetlinkState,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        let received = try kernel.receive(at: now)
        output.count(received.counts)
        if received.isLost { requestResync(.overrun, at: now) }
        if received.isDirty { settler.event(at: now) }
        if received.counts[.link] != nil { counterReadings.linkChanged(at: now) }
        if resolverWatch?.drain() ?? false { settler.event(at: now) }
        guard let networkManager else { return }
        let change = networkManager.process(now: now)
        output.statistics.withLock { $0.isNetworkManagerUp = networkManager.isUp }
        if change.contains(.metered) { output.count([.metered: 1]) }
        if kernel.state.awaitsNetworkManager == networkManager.isSettled {
            kernel.state.awaitsNetworkManager = !networkManager.isSettled
            settler.event(at: now)
        }
        guard change.contains(.facts) else { return }
        kernel.state.networkManager = networkManager.facts
        settler.event(at: now)
    }

    private mutating func requestResync(_ reason: PathStatistics.Resync, at now: SuspendingClock.Instant) {
        // Lost messages are the more important reason than a dump to be repeated.
        guard resync == nil || resync?.reason == .dumpInterrupted else { return }
        resync = Resync(reason: reason, at: max(now, lastResync.map { $0 + Self.resyncPause } ?? now))
    }

    // MARK: The clock

    private mutating func readWhatIsDue(
        _ kernel: inout NetlinkState,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        if presence.isBroken(at: now) { resync = Resync(reason: .resume, at: now) }
        presence.restart()
        if let due = resync, now >= due.at { try readAgain(&kernel, because: due.reason, at: now) }
        if now >= nextDriftCheck { try checkForDrift(&kernel, at: now) }
        if let due = counterReadings.due, now >= due { try readCounters(&kernel, at: now) }
    }

    /// Reads everything; what the events did not report may have moved the path.
    private mutating func readAgain(
        _ kernel: inout NetlinkState,
        because reason: PathStatistics.Resync,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        // A dump that stays interrupted is counted as such.
        if reason != .dumpInterrupted { output.count(reason) }
        resync = nil
        lastResync = now
        try kernel.resync(at: now)
        settler.event(at: now)
        if !kernel.isConsistent { requestResync(.dumpInterrupted, at: now) }
        countInterruptedDumps(kernel)
    }

    /// A difference between the kernel's tables and its events is a bug of ours or the kernel's.
    private mutating func checkForDrift(
        _ kernel: inout NetlinkState,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        output.count(.periodic)
        let verdict = try kernel.checkForDrift(isSettled: settler.deadline() == nil && resync == nil, at: now)
        countInterruptedDumps(kernel)
        nextDriftCheck = now + configuration.driftInterval
        switch verdict {
        case .none: break
        case .suspected: nextDriftCheck = min(nextDriftCheck, now + DriftDetector.confirmation)
        case .drift:
            output.statistics.withLock { $0.drift += 1 }
            try readAgain(&kernel, because: .dumpInterrupted, at: now)
        case .moving: try readAgain(&kernel, because: .dumpInterrupted, at: now)
        }
        // A directory that inotify had nothing to watch in may exist by now.
        resolverWatch?.watch()
        if Resolvers.nameservers(configuration) != kernel.state.nameservers { settler.event(at: now) }
    }

    private mutating func countInterruptedDumps(_ kernel: borrowing NetlinkState) {
        output.count(.dumpInterrupted, kernel.interruptedDumps - interruptedDumps)
        interruptedDumps = kernel.interruptedDumps
    }

    // MARK: Results

    private mutating func answerSurveys(_ found: [WayOut]?) {
        for answer in surveys { answer(found) }
        surveys = []
    }

    private mutating func survey(_ kernel: inout NetlinkState) throws(NetlinkError) {
        let found = try kernel.waysOut(configuration, seen: &seenDevices)
        output.report(found)
        answerSurveys(found)
    }

    private mutating func evaluate(_ kernel: inout NetlinkState, at now: SuspendingClock.Instant) throws(NetlinkError) {
        try kernel.refresh(configuration, at: now)
        countInterruptedDumps(kernel)
        try survey(&kernel)
        let evaluation = PathEvaluator.evaluate(
            kernel.state,
            policy: configuration.policy,
            carriers: settler.carriers,
            settlesBy: settler.isSettled ? nil : settlesBy,
            now: now
        )
        guard let update = settler.evaluated(evaluation, at: now) else { return }
        carried.add(update.path)
        // At once, as others wait for it.
        guard !hasPublished else {
            output.publish(update)
            return try readCounters(&kernel, at: now)
        }
        // The first one comes with its counters; a failure that these meet must not keep it back.
        defer {
            output.publish(update)
            hasPublished = true
            run.ready.signal()
        }
        try readCounters(&kernel, at: now)
    }

    private mutating func readCounters(
        _ kernel: inout NetlinkState,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        let (counters, isDirty) = try carried.read(&kernel, at: now)
        if isDirty { settler.event(at: now) }
        output.devices.withLock { $0 = DeviceReading(counters: counters, at: now) }
        counterReadings.answer()
        counterReadings.wasRead(at: now, isEmpty: carried.isEmpty, interval: configuration.countersInterval)
    }
}
