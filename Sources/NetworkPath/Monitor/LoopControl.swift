import Locking
import Posix

/// Orders for the loop's thread, and the signals between it and its owner.
final class LoopControl: Sendable {
    struct Orders {
        var isStopped = false
        var configuration: PathConfiguration?
        var wantsState = false
    }

    /// Ends the loop's wait.
    let wakeup: Wakeup
    /// Set once the first path, or the first failure, is there; never taken back.
    let ready: Wakeup
    private let orders = Locked(Orders())

    init() throws(SystemError) {
        wakeup = try Wakeup()
        ready = try Wakeup()
    }

    /// Whether the loop shall end.
    var isStopped: Bool { orders.withLock { $0.isStopped } }

    func stop() {
        orders.withLock { $0.isStopped = true }
        wakeup.signal()
    }

    func apply(_ configuration: PathConfiguration) {
        orders.withLock { $0.configuration = configuration }
        wakeup.signal()
    }

    /// Has the loop leave a copy of what it has recorded.
    func requestState() {
        orders.withLock { $0.wantsState = true }
        wakeup.signal()
    }

    /// Whether a copy was asked for since the last call.
    func takeStateRequest() -> Bool {
        orders.withLock { orders in
            defer { orders.wantsState = false }
            return orders.wantsState
        }
    }

    /// The newest configuration since the last call.
    func takeConfiguration() -> PathConfiguration? {
        orders.withLock { orders in
            defer { orders.configuration = nil }
            return orders.configuration
        }
    }
}
