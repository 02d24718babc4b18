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
/// is for names that had an address the last time: names whose servers are silent take no more than the rest.
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

    /// Requests to `/probe` bring any number of names.
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
    /// A question that no waiter is left for is dropped.
    mutating func next(at now: Instant) -> LookupQuestion? {
        waiting.removeAll { question in
            let isWanted = askers[question, default: []].contains { id in
                waiters[id].map { $0.deadline > now } ?? false
            }
            if !isWanted { askers[question] = nil }
            return !isWanted
        }
        // One that may not start is taken by a thread that is now at work.
        guard let index = waiting.firstIndex(where: mayStart) else {
            threads -= 1
            return nil
        }
        let question = waiting.remove(at: index)
        withoutThread.formIntersection(waiting)
        if !proven.contains(question.ofAnyRound) { unprovenUnderWay.insert(question) }
        return question
    }

    /// Takes back a thread that could not be started for a question.
    mutating func threadFailed(for question: LookupQuestion) {
        threads -= 1
        if waiting.contains(question) { withoutThread.insert(question) }
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
        return (askers.removeValue(forKey: question) ?? []).compactMap { waiters.removeValue(forKey: $0)?.waiter }
    }

    /// Takes back one who waits no longer; nil where it has its answer already.
    ///
    /// It met a limit of this machine where no thread could be started for its question, and no other one has taken it. A
    /// question that waited for busy threads did not: names without an answer kept them busy.
    mutating func giveUp(_ id: UInt64) -> (waiter: Waiter, isLocalLimit: Bool)? {
        guard let entry = waiters.removeValue(forKey: id) else { return nil }
        let question = entry.question
        let isWaiting = waiting.contains(question)
        let isLocalLimit = isWaiting && (threads == 0 || withoutThread.contains(question))
        askers[question]?.removeAll { $0 == id }
        // No thread may ever come that would drop it. One that is under way stays: others may ask for it.
        if isWaiting, askers[question]?.isEmpty ?? true { drop(question) }
        return (entry.waiter, isLocalLimit)
    }

    private mutating func drop(_ question: LookupQuestion) {
        waiting.removeAll { $0 == question }
        withoutThread.remove(question)
        askers[question] = nil
    }

    private func mayStart(_ question: LookupQuestion) -> Bool {
        proven.contains(question.ofAnyRound) || unprovenUnderWay.count < maxThreads - maxThreads / 4
    }
}

extension LookupQuestion {
    fileprivate var ofAnyRound: Self { Self(host: host, family: family) }
}
