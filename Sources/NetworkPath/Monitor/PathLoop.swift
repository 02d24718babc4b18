import Glibc
import Locking
import Netlink
import Posix

/// The monitor's thread: waits for the kernel, NetworkManager, the resolver's file and the clock, and publishes paths.
///
/// Everything here belongs to that one thread; `LoopControl` brings orders in and `PathOutput` takes results out.
struct PathLoop: ~Copyable {
    /// How long the first path waits for NetworkManager's word.
    private static let firstPathPatience = Duration.milliseconds(150)
    /// After an overrun at most one resync in this time.
    private static let resyncPause = Duration.seconds(1)
    /// How long a difference between events and tables may last before it is drift.
    private static let driftConfirmation = Duration.milliseconds(200)
    /// A jump of the clock that counts suspend means that the machine slept.
    private static let suspendJump = Duration.seconds(2)

    private struct Resync {
        var reason: PathStatistics.Resync
        var at: SuspendingClock.Instant
    }

    private var configuration: PathConfiguration
    private let control: LoopControl
    private let output: PathOutput
    private var settler: PathSettler
    private var networkManager: NetworkManagerClient?
    private let resolverWatch: ResolverWatch?
    private var hasPublished = false

    private var nextDriftCheck: SuspendingClock.Instant
    /// What the tables held, and what events had told, when these last differed.
    private var driftSuspect: (read: RawState, told: RawState)?
    private var nextCounters: SuspendingClock.Instant?
    private var lastResync: SuspendingClock.Instant?
    private var resync: Resync?
    private var interruptedDumps: UInt64 = 0
    private var timeAsleep = SuspendTime.now
    /// The devices that carried the path, by name, with the index last seen.
    private var carried: [String: Int32] = [:]

    init(configuration: PathConfiguration, control: LoopControl, output: PathOutput) {
        self.configuration = configuration
        self.control = control
        self.output = output
        settler = PathSettler(timings: configuration.timings)
        networkManager =
            configuration.watchesNetworkManager ? NetworkManagerClient(busAddress: configuration.busAddress) : nil
        // Without inotify (a limit of the user's) the resolvers are read with each drift check.
        resolverWatch = try? ResolverWatch(paths: [configuration.resolvConf, configuration.resolvedConf])
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
                output.failure.withLock { $0 = "\(error)" }
                output.statistics.withLock { $0.isNetlinkUp = false }
                control.ready.signal()
                if began.duration(to: .now) > pause { pause = .seconds(1) }
                Poll.wait(for: control.wakeup.number, upTo: pause)
                pause = min(pause * 2, .seconds(30))
            }
        }
        output.statistics.withLock { $0.isNetlinkUp = false }
    }

    /// Follows the kernel until stopped, or until a socket fails.
    private mutating func watch() throws(NetlinkError) {
        var kernel = try Kernel(configuration)
        try kernel.resync(at: .now)
        let firstPathDeadline = SuspendingClock.now + Self.firstPathPatience
        interruptedDumps = 0
        output.failure.withLock { $0 = nil }
        output.statistics.withLock { $0.isNetlinkUp = true }
        kernel.set(resolvers)
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
        return deadlines.compactMap(\.self).reduce(nextDriftCheck, min)
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
        if received.isLost {
            resync = Resync(reason: .overrun, at: max(now, lastResync.map { $0 + Self.resyncPause } ?? now))
        }
        if received.isDirty { settler.event(at: now) }
        if resolverWatch?.drain() ?? false {
            kernel.set(resolvers)
            settler.event(at: now)
        }
        guard let networkManager else { return }
        let change = networkManager.process(now: now)
        if change.contains(.metered) { output.count(.metered) }
        guard change.contains(.facts) else { return }
        kernel.set(networkManager.facts)
        settler.event(at: now)
    }

    // MARK: The clock

    private mutating func doWhatIsDue(
        _ kernel: inout Kernel,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        let asleep = SuspendTime.now
        if asleep - timeAsleep > Self.suspendJump { resync = Resync(reason: .resume, at: now) }
        timeAsleep = asleep
        if let due = resync, now >= due.at {
            try readAgain(&kernel, because: due.reason, at: now)
            resync = nil
        }
        if now >= nextDriftCheck { try checkForDrift(&kernel, at: now) }
        if let due = nextCounters, now >= due { try readCounters(&kernel, at: now) }
        if let due = kernel.routesDueAt, now >= due { settler.event(at: now) }
        if hasPublished, let due = settler.deadline(), now >= due { try evaluate(&kernel, at: now) }
    }

    /// Reads everything; what the events did not tell may have moved the path.
    private mutating func readAgain(
        _ kernel: inout Kernel,
        because reason: PathStatistics.Resync,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        output.count(reason)
        lastResync = now
        try kernel.resync(at: now)
        countInterruptedDumps(kernel)
        settler.event(at: now)
    }

    /// Reads everything and compares it with what the events had told; a difference is a bug of ours or the kernel's.
    ///
    /// The kernel shows some changes before it announces them, so a difference counts when it is still the same a moment
    /// later.
    private mutating func checkForDrift(
        _ kernel: inout Kernel,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        output.count(.periodic)
        let read = try kernel.readState(at: now)
        countInterruptedDumps(kernel)
        if resolverWatch == nil { kernel.set(resolvers) }
        if read == kernel.state {
            driftSuspect = nil
        } else if let suspect = driftSuspect {
            if suspect == (read, kernel.state) { output.statistics.withLock { $0.drift += 1 } }
            driftSuspect = nil
            try kernel.resync(at: now)
            settler.event(at: now)
        } else {
            driftSuspect = (read, kernel.state)
        }
        nextDriftCheck = now + (driftSuspect == nil ? configuration.driftInterval : Self.driftConfirmation)
        if resolverWatch == nil { settler.event(at: now) }
    }

    private mutating func countInterruptedDumps(_ kernel: borrowing Kernel) {
        output.count(.dumpInterrupted, kernel.interruptedDumps - interruptedDumps)
        interruptedDumps = kernel.interruptedDumps
    }

    // MARK: Results

    private mutating func evaluate(_ kernel: inout Kernel, at now: SuspendingClock.Instant) throws(NetlinkError) {
        try kernel.refresh(anchors: configuration.policy.anchors, at: now)
        var evaluation = PathEvaluator.evaluate(kernel.state, policy: configuration.policy, now: now)
        evaluation.blameLink(of: settler.published?.path.interface, in: kernel.state)
        guard let update = settler.evaluated(evaluation, at: now) else { return }
        for interface in [update.path.interface, update.path.underlay].compactMap(\.self) {
            carried[interface.name] = Int32(clamping: interface.index)
        }
        try readCounters(&kernel, at: now)
        // A held path is told later than it was evaluated: its publication is now.
        output.publish(update)
        if !hasPublished {
            hasPublished = true
            control.ready.signal()
        }
    }

    private mutating func readCounters(
        _ kernel: inout Kernel,
        at now: SuspendingClock.Instant
    ) throws(NetlinkError) {
        var devices: [String: DeviceCounters] = [:]
        for (name, index) in carried {
            // The device may have been made anew, under another index.
            let index = kernel.state.links.values.first { $0.name == name }?.index ?? index
            guard let (link, isNews) = try kernel.counters(index: index, at: now), link.name == name else { continue }
            if isNews { settler.event(at: now) }
            carried[name] = index
            devices[name] = DeviceCounters(link, speed: kernel.state.interface(index)?.linkSpeed)
        }
        output.statistics.withLock { statistics in
            statistics.devices = devices
            statistics.isNetworkManagerUp = networkManager.map(\.isUp)
        }
        nextCounters = carried.isEmpty ? nil : now + configuration.countersInterval
    }

    // MARK: Resolvers

    private var resolvers: Resolvers {
        ResolversReader(resolvConf: configuration.resolvConf, upstream: configuration.resolvedConf).read()
    }
}
