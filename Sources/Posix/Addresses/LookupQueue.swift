/// A name to look up; equal questions share an answer.
struct LookupQuestion: Hashable, Sendable {
    var host: String
    var family: AddressFamily?
    /// Counts the changes of the network: a lookup that began before the last one is not shared.
    var round: UInt64 = 0
}

/// Which names are asked for, by whom, and what the threads do next: the resolver's state, given the time.
///
/// Equal questions are one lookup, so there is never more waiting than there are different names. A quarter of the threads
/// is for names that had an address the last time: names without a known address take at most the rest.
struct LookupQueue<Waiter> {
    typealias Instant = ContinuousClock.Instant

    private let maxThreads: Int
    private var threads = 0
    private var waiting: [LookupQuestion] = []
    /// Those of the waiting ones for which no thread could be started.
    private var withoutThread: Set<LookupQuestion> = []
    /// Who asked what: of the waiting questions and of those under way.
    private var askers: [LookupQuestion: [UInt64]] = [:]
    private var waiters: [UInt64: Entry] = [:]
    /// Those that had an address the last time, of any round.
    private var proven: Set<LookupQuestion> = []
    /// Those under way that were not proven when they began.
    private var unprovenUnderWay: Set<LookupQuestion> = []

    /// Reloads bring any number of names.
    private static var provenLimit: Int { 1024 }

    private struct Entry {
        let waiter: Waiter
        let question: LookupQuestion
        let deadline: Instant
    }

    init(maxThreads: Int) {
        self.maxThreads = maxThreads
    }

    /// Adds a waiter; true where another thread must be started, which then calls `next`.
    mutating func ask(_ question: LookupQuestion, id: UInt64, waiter: Waiter, until deadline: Instant) -> Bool {
        waiters[id] = Entry(waiter: waiter, question: question, deadline: deadline)
        if askers[question] == nil { waiting.append(question) }
        askers[question, default: []].append(id)
        // One thread a question; those that are still starting count.
        guard threads < min(maxThreads, askers.count), mayStart(question) else { return false }
        threads += 1
        return true
    }

    /// What a thread looks up next; nil: it ends.
    ///
    /// A question whose waiters are all late is left to them: they are about to give up.
    mutating func next(at now: Instant) -> LookupQuestion? {
        // One that may not start is taken by a thread that is now at work.
        guard let index = waiting.firstIndex(where: { mayStart($0) && isInTime($0, at: now) }) else {
            threads -= 1
            return nil
        }
        let question = waiting.remove(at: index)
        withoutThread.remove(question)
        if !proven.contains(question.ofAnyRound) { unprovenUnderWay.insert(question) }
        return question
    }

    /// Takes back a thread that could not be started for a question.
    ///
    /// - Returns: who has met a limit of this machine: all that wait, where no thread is left that could take a question.
    mutating func threadFailed(for question: LookupQuestion) -> [Waiter] {
        threads -= 1
        guard threads == 0 else {
            if waiting.contains(question) { withoutThread.insert(question) }
            return []
        }
        withoutThread = []
        defer { waiting = [] }
        return waiting.flatMap { takeWaiters(of: $0) }
    }

    /// Takes the answer that has come.
    ///
    /// - Parameters:
    ///   - question: what was looked up.
    ///   - hasAddress: false also where no server answered.
    /// - Returns: who waits for it.
    mutating func finish(_ question: LookupQuestion, hasAddress: Bool) -> [Waiter] {
        unprovenUnderWay.remove(question)
        if hasAddress {
            if proven.count >= Self.provenLimit { proven = [] }
            proven.insert(question.ofAnyRound)
        } else {
            proven.remove(question.ofAnyRound)
        }
        return takeWaiters(of: question)
    }

    /// Takes back one who waits no longer; nil where it has its answer already.
    ///
    /// It met a limit of this machine where no thread could be started for its question, and no other one has taken it. A
    /// question that waited for busy threads did not: names without an answer kept them busy.
    mutating func giveUp(_ id: UInt64) -> (waiter: Waiter, isLocalLimit: Bool)? {
        guard let entry = waiters.removeValue(forKey: id) else { return nil }
        let question = entry.question
        let isLocalLimit = withoutThread.contains(question)
        askers[question]?.removeAll { $0 == id }
        // One that is under way stays: others may ask for it.
        if waiting.contains(question), askers[question]?.isEmpty ?? true { drop(question) }
        return (entry.waiter, isLocalLimit)
    }

    private mutating func takeWaiters(of question: LookupQuestion) -> [Waiter] {
        (askers.removeValue(forKey: question) ?? []).compactMap { waiters.removeValue(forKey: $0)?.waiter }
    }

    private mutating func drop(_ question: LookupQuestion) {
        waiting.removeAll { $0 == question }
        withoutThread.remove(question)
        askers[question] = nil
    }

    private func isInTime(_ question: LookupQuestion, at now: Instant) -> Bool {
        askers[question, default: []].contains { id in waiters[id].map { $0.deadline > now } ?? false }
    }

    private func mayStart(_ question: LookupQuestion) -> Bool {
        proven.contains(question.ofAnyRound) || unprovenUnderWay.count < maxThreads - maxThreads / 4
    }
}

extension LookupQuestion {
    fileprivate var ofAnyRound: Self { Self(host: host, family: family) }
}
