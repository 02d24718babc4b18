import Testing

@testable import Posix

struct LookupQueueTests {
    @Test func `starts a thread for each question, up to the limit`() {
        let queue = Queue(threads: 2)
        #expect(queue.ask("a", 1, until: 1))
        #expect(queue.ask("b", 2, until: 1))
        #expect(!queue.ask("c", 3, until: 1))
    }

    @Test func `answers equal questions with one lookup, also when it is under way`() {
        let queue = Queue(threads: 2)
        #expect(queue.ask("a", 1, until: 1))
        #expect(!queue.ask("a", 2, until: 1))
        #expect(queue.next(at: 0) == "a")
        #expect(!queue.ask("a", 3, until: 1))
        #expect(queue.finish("a") == [1, 2, 3])
        #expect(queue.next(at: 0) == nil)
    }

    @Test func `tells the families of a host apart`() {
        let queue = Queue(threads: 2)
        #expect(queue.ask("a", 1, until: 1))
        #expect(queue.ask("a", 2, family: .ipv6, until: 1))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a") == [1])
    }

    @Test func `looks up in the order of the questions`() {
        let queue = Queue(threads: 1)
        for (id, host) in ["a", "b", "c"].enumerated() { _ = queue.ask(host, UInt64(id), until: 1) }
        #expect([queue.next(at: 0), queue.next(at: 0), queue.next(at: 0)] == ["a", "b", "c"])
    }

    @Test func `forgets a question whose waiters are all late`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 1))
        #expect(!queue.ask("b", 2, until: 3))
        #expect(queue.next(at: 1) == "b")
        #expect(queue.finish("a") == [])
        // Its waiter can still be told.
        #expect(queue.giveUp(1) == 1)
    }

    @Test func `keeps a question that one of its waiters has time for`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 1))
        #expect(!queue.ask("a", 2, until: 2))
        #expect(queue.next(at: 1) == "a")
    }

    @Test func `forgets a question that all have given up`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 1))
        #expect(queue.giveUp(1) == 1)
        #expect(queue.giveUp(1) == nil)
        #expect(queue.next(at: 0) == nil)
        // The thread has ended, so that the next question needs one.
        #expect(queue.ask("a", 2, until: 1))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a") == [2])
    }

    @Test func `A question that no thread took while others were answered met a limit of this machine`() {
        let queue = Queue(threads: 1)
        for (id, host) in ["a", "b", "c"].enumerated() { _ = queue.ask(host, UInt64(id), until: 5) }
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a", at: 2) == [0])
        #expect(queue.next(at: 2) == "b")
        // It asks after the answer, and again for what is under way.
        #expect(!queue.ask("d", 3, at: 3, until: 5))
        #expect(!queue.ask("b", 4, at: 3, until: 5))

        #expect(queue.meetsLocalLimit(1) == false)
        #expect(queue.meetsLocalLimit(4) == false)
        #expect(queue.meetsLocalLimit(2) == true)
        #expect(queue.meetsLocalLimit(3) == false)
        #expect(queue.meetsLocalLimit(3) == nil)
    }

    @Test func `While no name is resolved, a question that no thread took is one to a silent server`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 5))
        #expect(!queue.ask("b", 2, until: 5))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a", hasAddress: false, at: 4) == [1])
        #expect(queue.meetsLocalLimit(2) == false)
    }

    @Test func `A question that a thread found too late was not looked up`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 5))
        #expect(!queue.ask("b", 2, until: 5))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a", at: 5) == [1])
        #expect(queue.next(at: 5) == nil)
        #expect(queue.meetsLocalLimit(2) == true)
    }

    @Test func `A question for which no thread could be started met a limit of this machine`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 5))
        queue.threadFailed()
        #expect(queue.meetsLocalLimit(1) == true)
    }

    @Test func `asks for another thread after one that did not start`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 1))
        queue.threadFailed()
        #expect(queue.ask("a", 2, until: 1))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a") == [1, 2])
    }
}

/// A queue whose waiters are their numbers, with times in seconds; a class, so that an expectation may change it.
private final class Queue {
    private var queue: LookupQueue<UInt64>
    private let start = ContinuousClock.now

    init(threads: Int) {
        queue = LookupQueue(maxThreads: threads)
    }

    func ask(
        _ host: String,
        _ id: UInt64,
        family: AddressFamily? = nil,
        at now: Int = 0,
        until seconds: Int
    ) -> Bool {
        let question = LookupQuestion(host: host, family: family)
        return queue.ask(question, id: id, waiter: id, at: start + .seconds(now), until: start + .seconds(seconds))
    }

    func next(at seconds: Int) -> String? { queue.next(at: start + .seconds(seconds))?.host }
    func finish(_ host: String, hasAddress: Bool = true, at seconds: Int = 0) -> [UInt64] {
        let question = LookupQuestion(host: host, family: nil)
        return queue.finish(question, hasAddress: hasAddress, at: start + .seconds(seconds))
    }
    func giveUp(_ id: UInt64) -> UInt64? { queue.giveUp(id)?.waiter }
    func meetsLocalLimit(_ id: UInt64) -> Bool? { queue.giveUp(id)?.isLocalLimit }
    func threadFailed() { queue.threadFailed() }
}
