/// The waits for descriptors, with their deadlines; makes no system call.
struct WaitTable<Waiter: Sendable>: Sendable {
    struct Wait: Sendable {
        /// nil: only the deadline ends it.
        let descriptor: Int32?
        let event: Readiness.Event
        let waiter: Waiter
    }

    /// What the kernel must report for all waits on one descriptor.
    struct Interest: Equatable {
        var number: UInt64
        var conditions: Epoll.Conditions
    }

    private struct Registration: Sendable {
        let generation: UInt32
        var waits: [UInt64] = []
    }

    private var waits: [UInt64: Wait] = [:]
    private var registrations: [Int32: Registration] = [:]
    private var deadlines = DeadlineQueue()
    private var lastGeneration: UInt32 = 0

    var count: Int { waits.count }

    /// Of those who still wait; forgets the deadlines before it.
    mutating func earliestDeadline() -> ContinuousClock.Instant? {
        deadlines.dropFirst(while: { waits[$0] == nil })
        return deadlines.earliest
    }

    mutating func add(_ wait: Wait, number: UInt64, deadline: ContinuousClock.Instant?) {
        waits[number] = wait
        if let descriptor = wait.descriptor { register(number, for: descriptor) }
        guard let deadline else { return }
        deadlines.insert(number, deadline: deadline)
        // Waits that ended early leave their deadlines behind.
        if deadlines.count > 2 * waits.count + 64 { deadlines.retain { waits[$0] != nil } }
    }

    /// Takes out a wait; nil when it has ended already.
    mutating func remove(_ number: UInt64) -> Wait? {
        guard let wait = waits.removeValue(forKey: number) else { return nil }
        guard let descriptor = wait.descriptor else { return wait }
        registrations[descriptor]?.waits.removeAll { $0 == number }
        if registrations[descriptor]?.waits.isEmpty == true { registrations[descriptor] = nil }
        return wait
    }

    /// Takes out the waits that a report ends; nil for a report that no wait is left for.
    mutating func removeReady(_ report: Epoll.Report) -> (descriptor: Int32, waiters: [Waiter])? {
        let descriptor = Int32(truncatingIfNeeded: report.number & 0xffff_ffff)
        guard let registration = registrations[descriptor], registration.generation == report.number >> 32
        else { return nil }
        let ready = registration.waits.filter { waits[$0]?.event.isMet(by: report.conditions) == true }
        return (descriptor, ready.compactMap { remove($0)?.waiter })
    }

    /// Takes out the waits whose deadline has passed.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Wait] {
        var expired: [Wait] = []
        while let number = deadlines.popExpired(at: now) {
            if let wait = remove(number) { expired.append(wait) }
        }
        return expired
    }

    mutating func removeAll() -> [Waiter] {
        defer { self = WaitTable() }
        return waits.values.map(\.waiter)
    }

    private mutating func register(_ number: UInt64, for descriptor: Int32) {
        if registrations[descriptor] == nil {
            // A report that is under way for an earlier file of the same number must not be taken for this one's.
            lastGeneration &+= 1
            registrations[descriptor] = Registration(generation: lastGeneration)
        }
        registrations[descriptor]?.waits.append(number)
    }

    /// nil: no wait is left for the descriptor.
    func interest(in descriptor: Int32) -> Interest? {
        guard let registration = registrations[descriptor] else { return nil }
        var interest = Interest(
            number: UInt64(registration.generation) << 32 | UInt64(UInt32(bitPattern: descriptor)),
            conditions: []
        )
        for number in registration.waits { interest.conditions.formUnion(waits[number]?.event.conditions ?? []) }
        return interest
    }
}

extension Readiness.Event {
    /// To be asked for; an error and a hang-up are reported unasked.
    fileprivate var conditions: Epoll.Conditions {
        switch self {
        case .readable: .input
        case .writable: .output
        case .errorQueue: []
        }
    }

    fileprivate func isMet(by reported: Epoll.Conditions) -> Bool {
        !reported.isDisjoint(with: conditions.union([.error, .hangUp]))
    }
}
