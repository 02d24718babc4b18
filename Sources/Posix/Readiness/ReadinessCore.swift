import Coordination

/// What the waiting tasks and the loop's thread share.
final class ReadinessCore: Sendable {
    /// Called once, outside the lock: true where the descriptor is ready.
    typealias Waiter = @Sendable (Bool) -> Void
    typealias Wait = WaitTable<Waiter>.Wait

    enum Admission { case waits, stopped, unwatchable }

    private struct State {
        var waits = WaitTable<Waiter>()
        var lastNumber: UInt64 = 0
        var isStopped = false
        /// Until when the loop sleeps; nil: for ever.
        var sleepsUntil: ContinuousClock.Instant?
    }

    /// No registration has it: its lower half is no descriptor.
    private static let wakeupNumber = UInt64.max

    private let epoll: Epoll
    private let wakeup: Wakeup
    private let state = Locked(State())
    private let onWake: @Sendable () -> Void

    /// - Parameter onWake: called by the loop after each wait, before it reads the clock; tests hold it up there.
    /// - Throws: when no descriptor can be had.
    init(onWake: @escaping @Sendable () -> Void = {}) throws(SystemError) {
        let epoll = try Epoll()
        let wakeup = try Wakeup()
        try epoll.watchForever(wakeup.number, number: Self.wakeupNumber)
        self.epoll = epoll
        self.wakeup = wakeup
        self.onWake = onWake
    }

    /// How many wait at this moment.
    var waitCount: Int { state.withLock { $0.waits.count } }

    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Has `wait.waiter` called when the wait ends; never called where the answer is anything but `waits`.
    func add(
        _ wait: Wait,
        number: UInt64,
        deadline: ContinuousClock.Instant?
    ) -> Admission {
        let (admission, needsWakeup) = state.withLock { state -> (Admission, Bool) in
            guard !state.isStopped else { return (.stopped, false) }
            state.waits.add(wait, number: number, deadline: deadline)
            guard watch(wait.descriptor, state.waits) else {
                _ = state.waits.remove(number)
                return (.unwatchable, false)
            }
            guard let deadline, state.sleepsUntil.map({ deadline < $0 }) ?? true else { return (.waits, false) }
            state.sleepsUntil = deadline
            return (.waits, true)
        }
        if needsWakeup { wakeup.signal() }
        return admission
    }

    /// Ends a wait without calling its waiter; nil when it has ended already.
    @discardableResult
    func cancel(_ number: UInt64) -> Waiter? {
        state.withLock { state in
            let wait = state.waits.remove(number)
            if let wait { _ = watch(wait.descriptor, state.waits) }
            return wait?.waiter
        }
    }

    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            return state.waits.removeAll()
        }
        wakeup.signal()
        for waiter in waiters { waiter(false) }
    }

    /// The loop: returns after `stop`.
    func run() {
        while !state.withLock({ $0.isStopped }) {
            var reports = epoll.wait(upTo: timeToSleep(at: .now))
            onWake()
            let now = ContinuousClock.now
            // What is ready by now is in time, also where this thread had no processor since the wait, or a stop of
            // the process ended the wait without a report (EINTR).
            if hasExpired(at: now) { reports += epoll.reportsOfNow() }
            let (ready, expired) = take(reports, at: now)
            for waiter in ready { waiter(true) }
            for waiter in expired { waiter(false) }
        }
    }

    private func hasExpired(at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in state.waits.earliestDeadline().map { $0 <= now } ?? false }
    }

    private func timeToSleep(at now: ContinuousClock.Instant) -> Duration? {
        state.withLock { state in
            let earliest = state.waits.earliestDeadline()
            // A time that was to be slept until is kept, though its wait has ended: those that follow need no wakeup.
            let isStillAhead = state.sleepsUntil.map { $0 > now && $0 <= earliest ?? $0 } ?? false
            if !isStillAhead { state.sleepsUntil = earliest }
            return state.sleepsUntil.map { $0 - now }
        }
    }

    private func take(
        _ reports: [Epoll.Report],
        at now: ContinuousClock.Instant
    ) -> (ready: [Waiter], expired: [Waiter]) {
        if reports.contains(where: { $0.number == Self.wakeupNumber }) { wakeup.drain() }
        return state.withLock { state in
            var ready: [Waiter] = []
            for report in reports {
                guard let ended = state.waits.removeReady(report) else { continue }
                ready += ended.waiters
                _ = watch(ended.descriptor, state.waits)
            }
            // What is ready is ready, even at its deadline.
            let expired = state.waits.removeExpired(at: now)
            for wait in expired { _ = watch(wait.descriptor, state.waits) }
            return (ready, expired.map(\.waiter))
        }
    }

    /// Orders from the kernel what those who wait on a descriptor want; false where it cannot be watched.
    private func watch(_ descriptor: Int32?, _ waits: WaitTable<Waiter>) -> Bool {
        guard let descriptor else { return true }
        guard let interest = waits.interest(in: descriptor) else {
            epoll.forget(descriptor)
            return true
        }
        return epoll.watchOnce(descriptor, for: interest.conditions, number: interest.number)
    }
}
