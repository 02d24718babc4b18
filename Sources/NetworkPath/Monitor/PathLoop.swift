import Glibc
import Locking
import Netlink
import Posix

/// The monitor's thread: waits for the kernel, NetworkManager, the resolver's file and the clock, and publishes paths.
///
/// Everything here belongs to that one thread; `LoopControl` brings orders in and `PathOutput` takes results out.
struct PathLoop: ~Copyable {
    /// How long the first path waits for NetworkManager's word; after that the word arrives as a change.
    private static let firstPathPatience = Duration.milliseconds(30)
    /// From one resync to the next, at least.
    private static let resyncPause = Duration.seconds(1)
    /// A jump of the clock that counts suspend means that the machine slept.
    private static let suspendJump = Duration.seconds(2)
    /// The longest wait: a machine that woke up is noticed after this time at the latest.
    private static let longestWait = Duration.seconds(10)

    private struct Resync {
        var reason: PathStatistics.Resync
        var at: SuspendingClock.Instant
    }

    private var configuration: PathConfiguration
    private let control: LoopControl
    private let output: PathOutput
    private var settler: PathSettler
    private var networkManager: NetworkManagerClient?
    private let resolverWatch: DirectoryWatch?
    private var hasPublished = false

    private var nextDriftCheck: SuspendingClock.Instant
    private var driftDetector = DriftDetector()
    private var nextCounters: SuspendingClock.Instant?
    private var carried = CarriedDevices()
    private var lastResync: SuspendingClock.Instant?
    private var resync: Resync?
    private var interruptedDumps: UInt64 = 0
    private var timeAsleep = SuspendTime.now

    init(configuration: PathConfiguration, control: LoopControl, output: PathOutput) {
        self.configuration = configuration
        self.control = control
        self.output = output
        settler = PathSettler(timings: configuration.timings)
        networkManager =
            configuration.watchesNetworkManager ? NetworkManagerClient(busAddress: configuration.busAddress) : nil
        // Without inotify (a limit of the user's) the resolvers are read with each evaluation and drift check.
        resolverWatch = try? DirectoryWatch(paths: [configuration.resolvConf, configuration.resolvedConf])
        nextDriftCheck = .now + configuration.driftInterval
    }

    /// Runs until it is told to stop; a kernel that cannot be read is tried again after 1 to 30 s.
    mutating func run() {
        var pause = Duration.seconds(1)
        while !control.isStopped {
            let began = SuspendingClock.now
            do {
                try watch()
            } catch {
                output.report(failure: "\(error)")
                control.ready.signal()
                if began.duration(to: .now) > pause { pause = .seconds(1) }
                Poll.wait(for: control.wakeup.number, upTo: pause)
                control.wakeup.drain()
                control.ready.drain()
                pause = min(pause * 2, .seconds(30))
            }
        }
        output.statistics.withLock { $0.isNetlinkUp = false }
    }

    /// Follows the kernel until stopped, or until a socket fails.
    private mutating func watch() throws(NetlinkError) {
        var kernel = try Kernel(configuration)
        try kernel.resync(at: .now)
        if !kernel.isConsistent { requestResync(.dumpInterrupted, at: .now) }
        let firstPathDeadline = SuspendingClock.now + Self.firstPathPatience
        interruptedDumps = 0
        output.report(failure: nil)
        kernel.set(networkManager?.facts)
        settler.event(at: .now)

        while !control.isStopped {
            if !hasPublished {
                let isSettled = networkManager?.isSettled ?? true
                if isSettled || SuspendingClock.now >= firstPathDeadline { try evaluate(&kernel, at: .now) }
            }
            wait(kernel, until: hasPublished ? nextDeadline(kernel) : firstPathDeadline)
            try takeEvents(&kernel, at: .now)
            try doWhatIsDue(&kernel, at: .now)
        }
    }

    // MARK: Waiting

    private func nextDeadline(_ kernel: borrowing Kernel) -> SuspendingClock.Instant {
        let deadlines = [settler.deadline(), nextCounters, resync?.at, kernel.routesDueAt]
        return deadlines.compactMap(\.self).reduce(min(nextDriftCheck, .now + Self.longestWait), min)
    }

    private func wait(_ kernel: borrowing Kernel, until deadline: SuspendingClock.Instant) {
        var descriptors = [
            pollfd(fd: control.wakeup.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: kernel.number, events: Int16(POLLIN), revents: 0),
        ]
        if let number = resolverWatch?.number {
            descriptors.append(pollfd(fd: number, events: Int16(POLLIN), revents: 0))
        }
        var deadline = deadline
        if let networkManager {
            if let (number, events) = networkManager.pollRequest {
                descriptors.append(pollfd(fd: number, events: events, revents: 0))
            }
            if let next = networkManager.deadline { deadline = min(deadline, next) }
        }
        Poll.wait(for: &descriptors, upTo: max(.zero, SuspendingClock.now.duration(to: deadline)))
        control.wakeup.drain()
    }

    // MARK: Events

    private mutating func takeEvents(
        _ kernel: inout Kernel,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        if let new = control.takeConfiguration() {
            configuration = new
            settler.timings = new.timings
            settler.event(at: now)
        }
        if control.takeStateRequest() { output.recorded.send(kernel.state) }
        let output = output
        let received = try kernel.receive(at: now) { output.count($0) }
        if received.isLost { requestResync(.overrun, at: now) }
        if received.isDirty { settler.event(at: now) }
        if resolverWatch?.drain() ?? false { settler.event(at: now) }
        guard let networkManager else { return }
        let change = networkManager.process(now: now)
        output.statistics.withLock { $0.isNetworkManagerUp = networkManager.isUp }
        if change.contains(.metered) { output.count(.metered) }
        guard change.contains(.facts) else { return }
        kernel.set(networkManager.facts)
        settler.event(at: now)
    }

    private mutating func requestResync(_ reason: PathStatistics.Resync, at now: SuspendingClock.Instant) {
        // A dump to be repeated is no reason of its own beside messages that were lost.
        guard resync == nil || resync?.reason == .dumpInterrupted else { return }
        resync = Resync(reason: reason, at: max(now, lastResync.map { $0 + Self.resyncPause } ?? now))
    }

    // MARK: The clock

    private mutating func doWhatIsDue(
        _ kernel: inout Kernel,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        let asleep = SuspendTime.now
        if asleep - timeAsleep > Self.suspendJump { resync = Resync(reason: .resume, at: now) }
        timeAsleep = asleep
        if let due = resync, now >= due.at { try readAgain(&kernel, because: due.reason, at: now) }
        if now >= nextDriftCheck { try checkForDrift(&kernel, at: now) }
        if let due = nextCounters, now >= due { try readCounters(&kernel, at: now) }
        let evaluations = [settler.deadline(), kernel.routesDueAt].compactMap(\.self)
        if hasPublished, evaluations.contains(where: { now >= $0 }) { try evaluate(&kernel, at: now) }
    }

    /// Reads everything; what the events did not tell may have moved the path.
    private mutating func readAgain(
        _ kernel: inout Kernel,
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

    /// Reads everything and compares it with what the events had told; a difference is a bug of ours or the kernel's.
    private mutating func checkForDrift(
        _ kernel: inout Kernel,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        output.count(.periodic)
        let read = try kernel.readState(at: now)
        countInterruptedDumps(kernel)
        // What is known to be stale, or about to be evaluated, is no drift.
        let isSettled = !kernel.areRoutesStale && settler.deadline() == nil
        let verdict = isSettled ? driftDetector.verdict(read: read, told: kernel.state) : .none
        if case .drift = verdict { output.statistics.withLock { $0.drift += 1 } }
        switch verdict {
        case .none: nextDriftCheck = now + configuration.driftInterval
        case .suspected: nextDriftCheck = now + min(DriftDetector.confirmation, configuration.driftInterval)
        case .drift, .moving:
            nextDriftCheck = now + configuration.driftInterval
            try readAgain(&kernel, because: .dumpInterrupted, at: now)
        }
        // A directory that inotify had nothing to watch in may exist by now.
        resolverWatch?.watch()
        if resolvers != kernel.state.resolvers { settler.event(at: now) }
    }

    private mutating func countInterruptedDumps(_ kernel: borrowing Kernel) {
        output.count(.dumpInterrupted, kernel.interruptedDumps - interruptedDumps)
        interruptedDumps = kernel.interruptedDumps
    }

    // MARK: Results

    private mutating func evaluate(_ kernel: inout Kernel, at now: SuspendingClock.Instant) throws(NetlinkError) {
        kernel.set(resolvers)
        try kernel.refresh(anchors: configuration.policy.anchors, at: now)
        countInterruptedDumps(kernel)
        var evaluation = PathEvaluator.evaluate(kernel.state, policy: configuration.policy, now: now)
        evaluation.blameLink(of: settler.carrier, in: kernel.state)
        guard let update = settler.evaluated(evaluation, at: now) else { return }
        carried.add(update.path)
        // The settler takes the update for published: a failure that counters meet must not keep it back.
        defer {
            output.publish(update)
            if !hasPublished {
                hasPublished = true
                control.ready.signal()
            }
        }
        try readCounters(&kernel, at: now)
    }

    private mutating func readCounters(
        _ kernel: inout Kernel,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        let (counters, isNews) = try carried.read(&kernel, at: now)
        if isNews { settler.event(at: now) }
        output.statistics.withLock { $0.devices = counters }
        nextCounters = carried.isEmpty ? nil : now + configuration.countersInterval
    }

    // MARK: Resolvers

    private var resolvers: Resolvers {
        ResolversReader(resolvConf: configuration.resolvConf, upstream: configuration.resolvedConf).read()
    }
}

/// How long the machine has slept since it started: the clock that counts suspend minus the one that does not.
enum SuspendTime {
    static var now: Duration {
        let all = ContinuousClock().systemEpoch.duration(to: .now)
        let awake = SuspendingClock().systemEpoch.duration(to: .now)
        return all - awake
    }
}
