import Coordination
import NetworkHealth

/// When the queue may send: while there is a path.
///
/// Requests of applications also wait for their requirement, by default `online`.
/// A host that comes online again, on a path that it had all the time, counts as a new path: what had no answer during the outage
/// is then sent at once, in place of after its delay of up to five minutes.
struct QueueNetwork: Sendable {
    private var isOnline: Bool?

    /// What the queue gets for a state, in that order.
    mutating func take(isConnected: Bool, isOnline: Bool?) -> [Bool] {
        defer { self.isOnline = isOnline }
        let isBack = isConnected && isOnline == true && self.isOnline != true
        return isBack ? [false, true] : [isConnected]
    }

    static func values(of states: AsyncStream<HealthState>) -> some AsyncSequence<Bool, Never> & Sendable {
        let network = Locked(QueueNetwork())
        return states.flatMap { state in
            AsyncStream { values in
                let taken = network.withLock { network in
                    network.take(isConnected: state.status.isConnected, isOnline: state.isOnline)
                }
                for value in taken { values.yield(value) }
                values.finish()
            }
        }
    }
}
