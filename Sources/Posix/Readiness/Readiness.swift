/// Lets tasks wait for descriptors without holding a thread each: one thread of our own over epoll(7).
package final class Readiness: Sendable {
    /// What to wait for; an error or a hang-up of the descriptor ends every wait.
    package enum Event: Sendable {
        case readable
        case writable
        /// Nothing but an error or a hang-up: messages for MSG_ERRQUEUE are such an error.
        case errorQueue
    }

    private let core: ReadinessCore

    /// Starts the thread.
    ///
    /// - Parameter name: of the thread; the kernel keeps 15 bytes.
    /// - Throws: when no thread or descriptor can be had.
    package convenience init(name: String) throws(SystemError) { try self.init(name: name, core: ReadinessCore()) }

    init(name: String, core: ReadinessCore) throws(SystemError) {
        try LoopThread(name: name) { core.run() }.detach()
        self.core = core
    }

    deinit { stop() }

    /// Waits until `descriptor` is ready for `event`, for which several may wait at a time, also on one descriptor.
    ///
    /// The caller keeps the descriptor open until this returns. A deadline is kept to a millisecond, never early. What
    /// cannot be waited for, such as a closed descriptor, is ready: the caller's next system call fails with the reason.
    ///
    /// - Returns: true when it is ready; false when the deadline passed first, the task was cancelled, or the loop was
    ///   stopped.
    package func wait(for descriptor: Int32, _ event: Event, until deadline: ContinuousClock.Instant) async -> Bool {
        let number = core.nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let wait = ReadinessCore.Wait(descriptor: descriptor, event: event) {
                    continuation.resume(returning: $0)
                }
                switch core.add(wait, number: number, deadline: deadline) {
                // A cancellation from before found no wait to end.
                case .waits: if Task.isCancelled { core.cancel(number)?(false) }
                case .stopped: continuation.resume(returning: false)
                case .unwatchable: continuation.resume(returning: true)
                }
            }
        } onCancel: {
            core.cancel(number)?(false)
        }
    }

    /// Ends every wait, and those that are asked for later, with false; the thread ends by itself.
    ///
    /// Returns at once, also where a task or a `deinit` calls it, and while a `call` is under way. May be repeated.
    package func stop() { core.stop() }

    /// How many wait at this moment.
    package var waitCount: Int { core.waitCount }
}

/// For those who serve many from one descriptor: calls instead of tasks.
extension Readiness {
    /// One call that is to come.
    package struct Order: Sendable {
        fileprivate let number: UInt64
    }

    /// For `call`, so that the callee can know it beforehand.
    package func newOrder() -> Order { Order(number: core.nextNumber()) }

    /// Has `body` called once on the loop's thread: with true when `descriptor` can be read, with false at `stop`.
    ///
    /// It must not block, nor stop the loop. The descriptor stays open until the call, or until `cancel`.
    ///
    /// - Returns: false where there will be no call, because the loop is stopped or the descriptor of no use.
    package func call(
        _ order: Order,
        whenReadable descriptor: Int32,
        _ body: @escaping @Sendable (Bool) -> Void
    ) -> Bool {
        let wait = ReadinessCore.Wait(descriptor: descriptor, event: .readable, waiter: body)
        return core.add(wait, number: order.number, deadline: nil) == .waits
    }

    /// Has `body` called once on the loop's thread, at `deadline` or at `stop`; it must not block, nor stop the loop.
    ///
    /// - Returns: false where there will be no call, because the loop is stopped.
    package func call(
        _ order: Order,
        at deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        let wait = ReadinessCore.Wait(descriptor: nil, event: .readable) { _ in body() }
        return core.add(wait, number: order.number, deadline: deadline) == .waits
    }

    /// Prevents the call, unless it is under way.
    package func cancel(_ order: Order) {
        core.cancel(order.number)
    }
}
