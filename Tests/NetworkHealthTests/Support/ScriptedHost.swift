import Coordination
import NetworkPath
import Probing

@testable import NetworkHealth

/// A host whose network is what the test says.
final class ScriptedHost: PathSource {
    private struct State {
        var path: Path
        var isRunning = false
        var generation: UInt64 = 0
        var failure: (any Error)?
    }

    static let up = Path.over(.wifi, name: "wlan0")
    static let down = Path(status: .unsatisfied, unsatisfiedReason: .linkDown)

    let health = HealthMonitor()
    let log: EvaluationLog
    private let state: Locked<State>

    /// - Parameters:
    ///   - path: the path from the start on.
    ///   - isRunning: whether it is watched already.
    ///   - log: receives what the library logs.
    init(_ path: Path = up, isRunning: Bool = false, log: EvaluationLog = EvaluationLog()) {
        self.log = log
        state = Locked(State(path: path))
        if isRunning { try? start() }
    }

    func start() throws {
        let path = try state.withLock { state in
            if let failure = state.failure { throw failure }
            (state.isRunning, state.generation) = (true, 0)
            return state.path
        }
        change(to: path)
    }

    func stop() {
        state.withLock { $0.isRunning = false }
        health.forget()
    }

    var reading: HostReading {
        if let current = health.current { return .known(current) }
        return failure == nil ? .stopped : .unknown
    }

    private let wakes = AsyncStream<UInt64>.makeStream()
    /// For one reader.
    func resumes() -> AsyncStream<UInt64> { wakes.stream }
    /// The host was asleep.
    func wake() { wakes.continuation.yield(1) }

    let unreadable = Broadcast<String?>(.some(nil))
    var failure: String? { unreadable.current ?? nil }
    func failures() -> AsyncStream<String?> { unreadable.values() }

    /// The next start fails so; nil: it does not.
    func fail(_ failure: (any Error)?) { state.withLock { $0.failure = failure } }

    func change(to path: Path) {
        let generation: UInt64? = state.withLock { state in
            state.path = path
            state.generation += 1
            return state.isRunning ? state.generation : nil
        }
        if let generation { health.receive(.now(path, generation)) }
    }
}

/// An internet monitor that finds what the test says.
final class ScriptedInternet: InternetWatching {
    let paths = Locked<[InternetPath]>([])
    private let onVerdict: @Sendable (InternetVerdict) -> Void
    /// One value when `run` begins, the end when it ends.
    let running: AsyncStream<Void>
    private let runs: AsyncStream<Void>.Continuation

    init(_ onVerdict: @escaping @Sendable (InternetVerdict) -> Void) {
        self.onVerdict = onVerdict
        (running, runs) = AsyncStream.makeStream()
    }

    func pathChanged(_ path: InternetPath) { paths.withLock { $0.append(path) } }

    /// One value for each time that it was told of a sleep.
    let resumptions = AsyncStream<Void>.makeStream()
    func resumed() { resumptions.continuation.yield() }

    func run() async {
        runs.yield()
        for await _ in AsyncStream<Never>.makeStream().stream {}
        runs.finish()
    }

    /// A verdict about the newest path.
    func find(_ state: InternetState) {
        let generation = paths.withLock { $0.last?.generation ?? 0 }
        onVerdict(InternetVerdict(state: state, evidenceAt: .now, generation: generation))
    }
}

extension PathUpdate {
    /// An update of this moment.
    static func now(_ path: Path, _ generation: UInt64) -> PathUpdate {
        PathUpdate(path: path, changes: [], generation: generation, evidenceAt: .now, publishedAt: .now)
    }
}
