import Coordination
import Posix

/// Watches the network path of this host, event by event: NWPathMonitor's shape on Linux.
///
/// ```swift
/// let monitor = PathMonitor()
/// try monitor.start()
/// for await update in monitor.updates() { print(update.path.status, update.path.interface?.name ?? "-") }
/// ```
///
/// It needs no privilege and sends nothing: it reads the kernel's rtnetlink events, looks up in the routing table
/// which way traffic would go, and follows NetworkManager where there is one.
///
/// Three ways to use it: `currentPath` (now), `path()` (as soon as it is known), `updates()` (now and on each change).
public final class PathMonitor: Sendable {
    private struct State: ~Copyable {
        var configuration: PathConfiguration
        /// nil unless started.
        var run: PathRun?
        /// Of this run, or of the one before, which may still be ending.
        var thread: LoopThread?
    }

    private let state: Locked<State>
    let output: PathOutput
    private let prepareThread: @Sendable () -> Void

    /// A monitor that does nothing until `start()`.
    public convenience init(configuration: PathConfiguration = PathConfiguration()) {
        self.init(configuration: configuration, onUpdate: { _ in })
    }

    /// - Parameters:
    ///   - configuration: what to read, and the user's rules.
    ///   - onUpdate: called on the loop's thread, in order, before the streams get the update; must not block.
    ///   - onWait: called on the loop's thread before each wait, with the time at which it runs again at the latest: where it
    ///     runs later, nothing was observed (`ObservationGap`); must not block.
    ///   - onEnd: called on the loop's thread after the last update of a run; must not block.
    ///   - prepareThread: called first on the loop's thread: the test lab enters a network namespace with it.
    package init(
        configuration: PathConfiguration,
        onUpdate: @escaping @Sendable (PathUpdate) -> Void,
        onWait: @escaping @Sendable (SuspendingClock.Instant) -> Void = { _ in },
        onEnd: @escaping @Sendable () -> Void = {},
        prepareThread: @escaping @Sendable () -> Void = {}
    ) {
        state = Locked(State(configuration: configuration, run: nil, thread: nil))
        output = PathOutput(onUpdate: onUpdate, onWait: onWait, onEnd: onEnd)
        self.prepareThread = prepareThread
    }

    deinit {
        cancel()
        if let thread = state.withLock({ $0.thread.take() }) { thread.detach() }
        output.updates.finish()
        output.waysOut.finish()
        output.failures.finish()
        output.resumes.finish()
    }

    /// Starts watching; the first path is complete some milliseconds later.
    ///
    /// A second call does nothing.
    /// Throws when the process has no thread or descriptor left. A kernel that refuses rtnetlink is no error here:
    /// `currentPath` throws it, and the monitor tries again until the kernel allows it.
    public func start() throws {
        do {
            try startRun()
        } catch {
            output.report(failure: "\(error)")
            throw error
        }
    }

    private func startRun() throws {
        try state.withLock { state in
            guard state.run == nil else { return }
            let run = try PathRun()
            let previous = Locked(state.thread.take())
            let configuration = state.configuration
            let (output, prepareThread) = (output, prepareThread)
            do {
                state.thread = try LoopThread(name: "network-path") {
                    // A run begins after the end of the one before, so that updates stay in order.
                    if let thread = previous.withLock({ $0.take() }) { thread.join() }
                    prepareThread()
                    var loop = PathLoop(run, configuration: configuration, output: output)
                    loop.perform()
                }
            } catch {
                state.thread = previous.withLock { $0.take() }
                throw error
            }
            state.run = run
        }
    }

    /// Stops watching; `start()` may follow.
    ///
    /// Returns at once; an update in progress may still arrive before the streams fall silent, within milliseconds.
    public func cancel() {
        state.withLock { state in
            state.run?.mailbox.stop()
            state.run = nil
            output.updates.forget()
        }
    }

    /// The path at this moment.
    ///
    /// Right after `start()` this waits for the first evaluation, which takes milliseconds, 1 s at most.
    /// Throws `PathMonitorError`.
    public var currentPath: Path {
        get throws {
            guard let run = state.withLock({ $0.run }) else { throw PathMonitorError.notStarted }
            Poll.wait(for: run.ready.number, upTo: max(.zero, ContinuousClock.now.duration(to: run.readyBy)))
            if let update = output.updates.current { return update.path }
            if let failure { throw PathMonitorError.unavailable(failure) }
            throw PathMonitorError.timedOut
        }
    }

    /// The maximum time of the first evaluation.
    package static let firstPathLimit = Duration.seconds(1)

    /// The path as soon as it is known; nil when the calling task is cancelled first.
    public func path() async -> Path? {
        for await update in output.updates.values() { return update.path }
        return nil
    }

    /// The current path first, then each change.
    ///
    /// A slow reader keeps the newest 64. The stream ends with the reader's task.
    public func updates() -> AsyncStream<PathUpdate> { output.updates.values() }

    /// What has been counted so far.
    package var statistics: PathStatistics { output.statistics.read { $0 } }

    /// The counters of the path's devices as they were read last: `countersInterval` ago at most.
    package var devices: DeviceReading { output.devices.read { $0 } }

    /// The counters of the path's devices, read at most 400 ms ago.
    ///
    /// Blocks for 20 ms at most: where the kernel's lock of all devices is held longer than that, they are those that were read last.
    package func readDevices() -> DeviceReading {
        let last = devices
        // Where no device carries the path there is nothing to read, and a scrape has not to wait for the loop.
        if last.counters.isEmpty || last.age < Self.freshness { return last }
        guard let run = state.withLock({ $0.run }), let answer = try? Mailbox<Void>(capacity: 1),
            run.mailbox.post(.counters { answer.wake() }) == .accepted
        else { return last }
        answer.wait(upTo: Self.readLimit)
        return devices
    }

    private static let freshness = Duration.milliseconds(400)
    private static let readLimit = Duration.milliseconds(20)

    /// What is recorded of the kernel's state at this moment; nil while the monitor does not run.
    package func recordedState() async -> RawState? {
        guard let run = state.withLock({ $0.run }) else { return nil }
        return await withCheckedContinuation { continuation in
            let delivery = run.mailbox.post(.stateRequest { continuation.resume(returning: $0) })
            if delivery != .accepted { continuation.resume(returning: nil) }
        }
    }

    /// The ways out of this host, now and on each change of the network.
    package func waysOut() -> AsyncStream<[WayOut]> { output.waysOut.values() }

    /// The ways out, by what the kernel answers now: no event reports a change of `rp_filter`.
    ///
    /// - Returns: nil while the monitor does not run, or the kernel cannot be read.
    package func survey() async -> [WayOut]? {
        guard let run = state.withLock({ $0.run }) else { return nil }
        return await withCheckedContinuation { continuation in
            let delivery = run.mailbox.post(.survey { continuation.resume(returning: $0) })
            if delivery != .accepted { continuation.resume(returning: nil) }
        }
    }

    /// Why the kernel cannot be read at this moment; nil while it can.
    package var failure: String? { output.failures.current ?? nil }

    /// Why the kernel cannot be read, now and whenever that changes; nil while it can.
    package func failures() -> AsyncStream<String?> { output.failures.values() }

    /// How often the machine has woken up, or this process has run again, each time it does; the last time first.
    package func resumes() -> AsyncStream<UInt64> { output.resumes.values() }

    /// The configuration in force.
    public var configuration: PathConfiguration { state.withLock { $0.configuration } }

    /// Decides by a new policy and new timings from now on; a change that follows is published like any other.
    ///
    /// The other members apply from the next `start()` on, at the latest. What `adopt(_:)` was given stays.
    public func apply(_ configuration: PathConfiguration) {
        change {
            let host = $0.policy.host
            $0 = configuration
            $0.policy.host = host
        }
    }

    /// Adopts what the exporter of the host reports, from now on; nil: it reports nothing any more.
    package func adopt(_ facts: PathPolicy.HostFacts?) { change { $0.policy.host = facts } }

    private func change(_ body: (inout PathConfiguration) -> Void) {
        let (run, configuration) = state.withLock { state in
            body(&state.configuration)
            return (state.run, state.configuration)
        }
        run?.mailbox.post(.configuration(configuration), isFollowUp: true) {
            if case .configuration = $0 { true } else { false }
        }
    }
}

/// Why no path is known.
public enum PathMonitorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `start()` was not called, or `cancel()` was.
    case notStarted
    /// The kernel could not be read: the text names the call and its errno.
    case unavailable(String)
    /// The first evaluation took longer than 1 s.
    case timedOut

    /// One line that describes what failed.
    public var description: String {
        switch self {
        case .notStarted: "the path monitor is not started"
        case .unavailable(let reason): "the kernel's network state cannot be read: \(reason)"
        case .timedOut: "the first evaluation of the path took longer than 1 s"
        }
    }
}
