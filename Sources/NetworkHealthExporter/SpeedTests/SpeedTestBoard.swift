import Coordination
import SpeedTestCore
import Statistics

/// The state of the speed tests, shared by the service, the metrics and the routes.
final class SpeedTestBoard: Sendable {
    /// What happens in a test.
    enum News: Sendable {
        case progress(SpeedTestProgress)
        case ended(SpeedTestReport)
    }

    /// Finds where packets waited: in the time of a load, and with so much longer round trips to the server than before it.
    typealias QueueLocator = @Sendable (Range<ContinuousClock.Instant>, _ rise: Duration?) -> QueueLocation?

    let news = Broadcast<News>()
    /// Confirmed ones.
    let shortfalls = Broadcast(ofEvents: PlanShortfall.self)
    /// Set by the part that probes the way; nil: no part does.
    let queueLocator = Locked<QueueLocator?>(nil)
    private let locked: Locked<SpeedTestState>

    init(_ state: SpeedTestState) { locked = Locked(state) }

    /// A copy of this moment, with everything in it; `read` costs less for a part.
    var state: SpeedTestState { locked.read { $0 } }

    func read<Value: Sendable>(_ body: (SpeedTestState) -> Value) -> Value { locked.read(body) }

    func update<Value: Sendable>(_ body: (inout sending SpeedTestState) -> sending Value) -> Value {
        locked.withLock(body)
    }

    func advance(_ progress: SpeedTestProgress) {
        locked.withLock { $0.advance(progress, at: .now) }
        news.send(.progress(progress))
    }
}
