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

    func ask(_ host: String, _ id: UInt64, family: AddressFamily? = nil, until seconds: Int) -> Bool {
        let question = LookupQuestion(host: host, family: family)
        return queue.ask(question, id: id, waiter: id, until: start + .seconds(seconds))
    }

    func next(at seconds: Int) -> String? { queue.next(at: start + .seconds(seconds))?.host }
    func finish(_ host: String) -> [UInt64] { queue.finish(LookupQuestion(host: host, family: nil)) }
    func giveUp(_ id: UInt64) -> UInt64? { queue.giveUp(id) }
    func threadFailed() { queue.threadFailed() }
}
