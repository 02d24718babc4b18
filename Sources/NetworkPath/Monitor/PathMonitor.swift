import Locking
import Posix

/// Watches the network path of this host, event by event: NWPathMonitor's shape on Linux.
///
/// It needs no privilege and sends nothing: it reads the kernel's rtnetlink events, asks the routing table which way
/// traffic would go, and listens to NetworkManager where there is one.
///
/// Three ways to use it: `currentPath` (now), `path()` (as soon as it is known), `updates()` (now and on each change).
public final class PathMonitor: Sendable {
    private struct State: ~Copyable {
        var configuration: PathConfiguration
        var control: LoopControl?
        var thread: LoopThread?
    }

    private let state: Locked<State>
    private let output: PathOutput
    private let prepareThread: @Sendable () -> Void

    /// A monitor that does nothing until `start()`.
    public convenience init(configuration: PathConfiguration = PathConfiguration()) {
        self.init(configuration: configuration, onUpdate: { _ in })
    }

    /// - Parameters:
    ///   - configuration: what to look at, and the user's rules.
    ///   - onUpdate: called on the loop's thread, in order, before streams are told; must not block.
    ///   - prepareThread: called first on the loop's thread: the test lab enters a network namespace with it.
    package init(
        configuration: PathConfiguration,
        onUpdate: @escaping @Sendable (PathUpdate) -> Void,
        prepareThread: @escaping @Sendable () -> Void = {}
    ) {
        state = Locked(State(configuration: configuration, control: nil, thread: nil))
        output = PathOutput(onUpdate: onUpdate)
        self.prepareThread = prepareThread
    }

    deinit {
        cancel()
        output.updates.finish()
        output.failures.finish()
        output.resumes.finish()
    }

    /// Starts watching; the first path is complete some milliseconds later.
    ///
    /// A second call does nothing.
    /// Throws when no thread or descriptor can be had. A kernel that refuses rtnetlink is no error here: `currentPath`
    /// tells it, and the monitor tries again until it is let.
    public func start() throws {
        try state.withLock { state in
            guard state.thread == nil else { return }
            let control = try LoopControl()
            let configuration = state.configuration
            let (output, prepareThread) = (output, prepareThread)
            state.thread = try LoopThread(name: "network-path") {
                prepareThread()
                var loop = PathLoop(configuration: configuration, control: control, output: output)
                loop.run()
            }
            state.control = control
        }
    }

    /// Stops watching; `start()` may follow.
    ///
    /// Returns when the loop has ended, within milliseconds.
    public func cancel() {
        let thread = state.withLock { state in
            state.control?.stop()
            state.control = nil
            return state.thread.take()
        }
        guard let thread else { return }
        thread.join()
        state.withLock { state in
            // What was true then is nobody's current path, unless somebody has started it anew meanwhile.
            if state.control == nil { output.updates.forget() }
        }
    }

    /// The path at this moment.
    ///
    /// Right after `start()` this waits for the first evaluation, which takes milliseconds, 200 ms at most.
    /// Throws `PathMonitorError`.
    public var currentPath: Path {
        get throws {
            guard let control = state.withLock({ $0.control }) else { throw PathMonitorError.notStarted }
            Poll.wait(for: control.ready.number, upTo: .milliseconds(200))
            if let update = output.updates.current { return update.path }
            if let failure { throw PathMonitorError.unavailable(failure) }
            throw PathMonitorError.timedOut
        }
    }

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
    package var statistics: PathStatistics { output.statistics.withLock { $0 } }

    /// What is recorded of the kernel's state at this moment; nil while the monitor does not run.
    package func recordedState() async -> RawState? {
        guard let control = state.withLock({ $0.control }) else { return nil }
        let answers = output.recorded.values()
        var isStale = output.recorded.current != nil
        control.requestState()
        for await recorded in answers {
            // The first value is the answer to an earlier question.
            guard isStale else { return recorded }
            isStale = false
        }
        return nil
    }

    /// Why the kernel cannot be read at this moment; nil while it can.
    package var failure: String? { output.failures.current ?? nil }

    /// Why the kernel cannot be read, now and whenever that changes; nil while it can.
    package func failures() -> AsyncStream<String?> { output.failures.values() }

    /// How often the machine has woken up, each time it does; the last time first.
    package func resumes() -> AsyncStream<UInt64> { output.resumes.values() }

    /// The configuration in force.
    package var configuration: PathConfiguration { state.withLock { $0.configuration } }

    /// Decides by new rules from now on; a change that follows is told like any other.
    package func apply(_ configuration: PathConfiguration) {
        let control = state.withLock { state in
            state.configuration = configuration
            return state.control
        }
        control?.apply(configuration)
    }
}

/// Why there is no path to tell.
public enum PathMonitorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `start()` was not called, or `cancel()` was.
    case notStarted
    /// The kernel could not be asked: the text names the call and its errno.
    case unavailable(String)
    /// The first evaluation took longer than 200 ms.
    case timedOut

    /// One line that says what failed.
    public var description: String {
        switch self {
        case .notStarted: "the path monitor is not started"
        case .unavailable(let reason): "the kernel's network state cannot be read: \(reason)"
        case .timedOut: "the first evaluation of the path took longer than 200 ms"
        }
    }
}
