/// A name to look up; equal questions share an answer.
struct LookupQuestion: Hashable, Sendable {
    var host: String
    var family: AddressFamily?
}

/// Which names are asked for, by whom, and what the threads do next: the resolver's state, given the time.
///
/// Equal questions are one lookup, so there is never more waiting than there are different names.
struct LookupQueue<Waiter> {
    typealias Instant = ContinuousClock.Instant

    private let maxThreads: Int
    private var threads = 0
    private var waiting: [LookupQuestion] = []
    /// Who asked what: of the waiting questions and of those under way.
    private var askers: [LookupQuestion: [UInt64]] = [:]
    private var waiters: [UInt64: (waiter: Waiter, deadline: Instant)] = [:]

    init(maxThreads: Int) {
        self.maxThreads = maxThreads
    }

    /// Adds a waiter; true where another thread must be started, which then calls `next`.
    mutating func ask(_ question: LookupQuestion, id: UInt64, waiter: Waiter, until deadline: Instant) -> Bool {
        waiters[id] = (waiter, deadline)
        if askers[question] == nil { waiting.append(question) }
        askers[question, default: []].append(id)
        // One thread a question; those that are still starting count.
        guard threads < min(maxThreads, askers.count) else { return false }
        threads += 1
        return true
    }

    /// What a thread looks up next; nil: it ends.
    ///
    /// A question that no waiter is left for is dropped.
    mutating func next(at now: Instant) -> LookupQuestion? {
        while !waiting.isEmpty {
            let question = waiting.removeFirst()
            let isWanted = askers[question, default: []].contains { id in
                waiters[id].map { $0.deadline > now } ?? false
            }
            if isWanted { return question }
            askers[question] = nil
        }
        threads -= 1
        return nil
    }

    /// Takes back a thread that could not be started.
    mutating func threadFailed() {
        threads -= 1
    }

    /// Who waits for the answer that has come.
    mutating func finish(_ question: LookupQuestion) -> [Waiter] {
        (askers.removeValue(forKey: question) ?? []).compactMap { waiters.removeValue(forKey: $0)?.waiter }
    }

    /// Takes back one who waits no longer; nil where it has its answer already.
    mutating func giveUp(_ id: UInt64) -> Waiter? {
        waiters.removeValue(forKey: id)?.waiter
    }
}
