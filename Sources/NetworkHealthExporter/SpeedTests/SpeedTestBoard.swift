import FoundationEssentials
import Locking
import SpeedTestCore

/// The state of the speed tests, shared by who runs them and who tells of them.
final class SpeedTestBoard: Sendable {
    /// What happens in a test, for those who watch it.
    enum News: Sendable {
        case progress(SpeedTestProgress)
        case ended(SpeedTestRecord)
    }

    let news = Broadcast<News>()
    private let state: Locked<SpeedTestState>

    init(_ state: SpeedTestState) {
        self.state = Locked(state)
    }

    /// For metrics; nil while no test is configured.
    func facts(now: Date = .now) -> SpeedTestFacts? { state.withLock { $0.facts(now: now) } }

    /// The newest test, failed or not.
    var lastRecord: SpeedTestRecord? { state.withLock { $0.lastRecord } }

    /// What tests have moved since the start, the running one included.
    var traffic: TrafficAccount.Bytes { state.withLock { $0.traffic } }

    /// When the schedule has the next test; nil while none is configured.
    var nextRun: Date? { state.withLock { $0.nextRun } }

    /// Twice the longest time between two tests: an older result is stale.
    var staleAfter: Duration { state.withLock { $0.staleAfter } }

    /// What is stored of it.
    var kept: SpeedTestHistory.State { state.withLock { ($0.memory, $0.books) } }

    func advance(_ progress: SpeedTestProgress) {
        state.withLock { $0.advance(progress) }
        news.send(.progress(progress))
    }

    func update<Value: Sendable>(_ body: (inout sending SpeedTestState) -> sending Value) -> Value {
        state.withLock(body)
    }
}
