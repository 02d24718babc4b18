import Locking
import Posix

/// The threads that lookups block: started when there are questions, gone when there are none.
///
/// A lookup that hangs outlives whoever asked, and the resolver too.
final class LookupThreads: Sendable {
    /// Looks a name up and may block; empty where it has no address.
    typealias Lookup = @Sendable (_ host: String, _ family: AddressFamily?) -> [ResolvedAddress]
    typealias Waiter = CheckedContinuation<[ResolvedAddress], Never>

    private let queue: Locked<LookupQueue<Waiter>>
    private let lookup: Lookup

    init(most: Int, lookup: @escaping Lookup) {
        queue = Locked(LookupQueue(mostThreads: most))
        self.lookup = lookup
    }

    /// Has `waiter` resumed with the addresses, or with none by `giveUp`.
    func ask(_ question: LookupQuestion, id: UInt64, waiter: Waiter, until deadline: ContinuousClock.Instant) {
        guard queue.withLock({ $0.ask(question, id: id, waiter: waiter, until: deadline) }) else { return }
        do {
            try LoopThread(name: "resolver") { self.run() }.detach()
        } catch {
            // The threads that there are take the question; where there are none, its waiters give up in time.
            queue.withLock { $0.threadFailed() }
        }
    }

    /// Resumes a waiter with nothing, unless it has been resumed.
    func giveUp(_ id: UInt64) {
        queue.withLock { $0.giveUp(id) }?.resume(returning: [])
    }

    private func run() {
        while let question = queue.withLock({ $0.next(at: .now) }) {
            let found = lookup(question.host, question.family)
            for waiter in queue.withLock({ $0.finish(question) }) { waiter.resume(returning: found) }
        }
    }
}
