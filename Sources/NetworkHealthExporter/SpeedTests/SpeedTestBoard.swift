import Coordination
import NetworkHealth
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
    private let questions = Locked(Questions())
    private let locked: Locked<SpeedTestState>

    /// What other parts answer; nil: no part does.
    ///
    /// A lock around a function itself would wrap it once more at each access (``Locked``).
    private struct Questions {
        var locateQueue: QueueLocator?
        var name: (@Sendable (Uplink) -> String?)?
    }

    init(_ state: SpeedTestState) { locked = Locked(state) }

    /// A copy of this moment, with everything in it; `read` costs less for a part.
    var state: SpeedTestState { locked.read { $0 } }

    func read<Value: Sendable>(_ body: (SpeedTestState) -> Value) -> Value { locked.read(body) }

    func update<Value: Sendable>(_ body: (inout sending SpeedTestState) -> sending Value) -> Value {
        locked.withLock(body)
    }

    /// Replaces what names the uplinks of tests: the part that watches the uplinks does.
    func setNaming(_ name: @escaping @Sendable (Uplink) -> String?) { questions.withLock { $0.name = name } }

    /// Replaces what finds the places of queues: the part that probes the way does.
    func setQueueLocator(_ locate: @escaping QueueLocator) { questions.withLock { $0.locateQueue = locate } }

    /// nil: no part finds them.
    var queueLocator: QueueLocator? { questions.withLock(\.locateQueue) }

    /// The name of an uplink that is in use now, such as `eth0 192.0.2.1`; nil: it has none.
    func name(of uplink: String) -> String? {
        let found = Uplink(name: uplink).flatMap { questions.withLock(\.name)?($0) }
        return read { $0.plans.name(of: uplink, found: found) }
    }

    func advance(_ progress: SpeedTestProgress) {
        locked.withLock { $0.advance(progress, at: .now) }
        news.send(.progress(progress))
    }
}
