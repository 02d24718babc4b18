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
    private var waiters: [UInt64: Entry] = [:]
    /// When a lookup last found an address.
    private var lastAnswer: Instant?

    private struct Entry {
        let waiter: Waiter
        let question: LookupQuestion
        let asked: Instant
        let deadline: Instant
    }

    init(maxThreads: Int) {
        self.maxThreads = maxThreads
    }

    /// Adds a waiter; true where another thread must be started, which then calls `next`.
    mutating func ask(
        _ question: LookupQuestion,
        id: UInt64,
        waiter: Waiter,
        at now: Instant,
        until deadline: Instant
    ) -> Bool {
        waiters[id] = Entry(waiter: waiter, question: question, asked: now, deadline: deadline)
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

    /// Takes the answer that has come.
    ///
    /// - Parameters:
    ///   - question: what was looked up.
    ///   - hasAddress: false also where no server answered.
    ///   - now: the time.
    /// - Returns: who waits for it.
    mutating func finish(_ question: LookupQuestion, hasAddress: Bool, at now: Instant) -> [Waiter] {
        if hasAddress { lastAnswer = now }
        return (askers.removeValue(forKey: question) ?? []).compactMap { waiters.removeValue(forKey: $0)?.waiter }
    }

    /// Takes back one who waits no longer; nil where it has its answer already.
    ///
    /// A limit of this machine kept it from its answer where its question was not looked up, though others were answered
    /// meanwhile or no thread could be started. Where none was answered, the name servers are silent.
    mutating func giveUp(_ id: UInt64) -> (waiter: Waiter, isLocalLimit: Bool)? {
        guard let entry = waiters.removeValue(forKey: id) else { return nil }
        let isWaiting = waiting.contains(entry.question)
        // `next` drops a question that is too late.
        let isDropped = askers[entry.question]?.contains(id) != true
        let wereOthersAnswered = lastAnswer.map { $0 >= entry.asked } ?? false
        return (entry.waiter, isWaiting && threads == 0 || (isWaiting || isDropped) && wereOthersAnswered)
    }
}
