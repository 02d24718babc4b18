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

    @Test func `a lookup that began before the network changed is not shared, and keeps its own waiters`() {
        let queue = Queue(threads: 4)
        #expect(queue.ask("a", 1, until: 1))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.ask("a", 2, round: 1, until: 1))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a", round: 1) == [2])
        #expect(queue.finish("a", hasAddress: false) == [1])
    }

    @Test func `tells the families of a host apart`() {
        let queue = Queue(threads: 2)
        #expect(queue.ask("a", 1, until: 1))
        #expect(queue.ask("a", 2, family: .ipv6, until: 1))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a") == [1])
    }

    @Test func `looks up in the order of the questions`() {
        let queue = Queue(threads: 3)
        for (id, host) in ["a", "b", "c"].enumerated() { _ = queue.ask(host, UInt64(id), until: 1) }
        #expect([queue.next(at: 0), queue.next(at: 0), queue.next(at: 0)] == ["a", "b", "c"])
    }

    @Test func `forgets a question whose waiters are all late`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 1))
        #expect(!queue.ask("b", 2, until: 3))
        #expect(queue.next(at: 1) == "b")
        // Its waiter can still be told.
        #expect(queue.giveUp(1) == 1)
        #expect(queue.finish("a") == [])
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

    @Test func `a question that all have given up is forgotten at once, also where no thread ever comes`() {
        let queue = Queue(threads: 4)
        #expect(queue.ask("a", 1, until: 9))
        #expect(!queue.ask("a", 2, until: 9))
        #expect(queue.giveUp(1) == 1)
        #expect(queue.ask("b", 3, until: 9), "the other one still waits for a")
        #expect(queue.giveUp(2) == 2)
        #expect(!queue.ask("c", 4, until: 9), "the thread that comes for a is free for c")
        #expect([queue.next(at: 0), queue.next(at: 0), queue.next(at: 0)] == ["b", "c", nil])
    }

    @Test func `a lookup under way that all have given up is shared by those who ask later`() {
        let queue = Queue(threads: 4)
        #expect(queue.ask("a", 1, until: 9))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.giveUp(1) == 1)
        #expect(!queue.ask("a", 2, until: 9))
        #expect(queue.next(at: 0) == nil)
        #expect(queue.finish("a") == [2])
    }

    @Test func `A question that waited for busy threads met no limit of this machine, also while others were answered`()
    {
        let queue = Queue(threads: 1)
        for (id, host) in ["a", "b", "c"].enumerated() { _ = queue.ask(host, UInt64(id), until: 5) }
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a") == [0])
        #expect(queue.next(at: 2) == "b")

        #expect(queue.meetsLocalLimit(1) == false)
        #expect(queue.meetsLocalLimit(2) == false)
        #expect(queue.meetsLocalLimit(2) == nil)
    }

    @Test func `A quarter of the threads is for names that had an address the last time`() {
        let queue = Queue(threads: 4)
        #expect(queue.ask("alive", 0, until: 9))
        #expect(queue.next(at: 0) == "alive")
        #expect(queue.finish("alive") == [0])
        #expect(queue.next(at: 0) == nil)

        for id in 1...3 {
            #expect(queue.ask("dead\(id)", UInt64(id), until: 9))
            #expect(queue.next(at: 0) == "dead\(id)")
        }
        // No thread starts that would find nothing to do.
        #expect(!queue.ask("dead4", 4, until: 9))
        #expect(queue.ask("alive", 5, until: 9))
        #expect(queue.next(at: 0) == "alive")
        #expect(queue.finish("alive") == [5])
        #expect(queue.next(at: 0) == nil)

        // The thread of one that ends takes what waits.
        #expect(queue.finish("dead1", hasAddress: false) == [1])
        #expect(queue.next(at: 0) == "dead4")
    }

    @Test func `A name that had no address the last time has no share in that quarter`() {
        let queue = Queue(threads: 4)
        for hasAddress in [true, false] {
            #expect(queue.ask("a", 0, until: 9))
            #expect(queue.next(at: 0) == "a")
            #expect(queue.finish("a", hasAddress: hasAddress) == [0])
            #expect(queue.next(at: 0) == nil)
        }
        for id in 1...3 {
            #expect(queue.ask("dead\(id)", UInt64(id), until: 9))
            #expect(queue.next(at: 0) == "dead\(id)")
        }
        #expect(!queue.ask("a", 4, until: 9))
    }

    @Test func `A question for which no thread could be started met a limit of this machine`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 5))
        #expect(!queue.ask("b", 2, until: 5))
        #expect(queue.threadFailed() == [1, 2], "all that wait are told at once: no thread will come")
        #expect(queue.giveUp(1) == nil)
        #expect(queue.ask("b", 3, until: 5))
        #expect(queue.next(at: 0) == "b")
        #expect(queue.next(at: 0) == nil)
    }

    @Test func `also while another thread is busy, unless that one takes the question`() {
        let queue = Queue(threads: 2)
        #expect(queue.ask("a", 1, until: 5))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.ask("b", 2, until: 5))
        #expect(queue.threadFailed("b") == [])
        #expect(queue.meetsLocalLimit(2) == true)
        #expect(queue.ask("b", 3, until: 5))
        #expect(queue.threadFailed("b") == [])
        #expect(queue.finish("a") == [1])
        #expect(queue.next(at: 1) == "b")
        #expect(queue.meetsLocalLimit(3) == false)
    }

    @Test func `A question without a thread of its own met that limit, also where another thread has found it late`() {
        let queue = Queue(threads: 2)
        #expect(queue.ask("a", 1, until: 9))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.ask("b", 2, until: 5))
        #expect(queue.threadFailed("b") == [])
        #expect(queue.finish("a") == [1])
        #expect(queue.next(at: 5) == nil)
        #expect(queue.meetsLocalLimit(2) == true)
    }

    @Test func `A late question that waited for a busy thread met no limit, also where that thread has ended`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 9))
        #expect(queue.next(at: 0) == "a")
        #expect(!queue.ask("b", 2, until: 5))
        #expect(queue.finish("a") == [1])
        #expect(queue.next(at: 5) == nil)
        #expect(queue.meetsLocalLimit(2) == false)
    }

    @Test func `asks for another thread after one that did not start`() {
        let queue = Queue(threads: 1)
        #expect(queue.ask("a", 1, until: 1))
        #expect(queue.threadFailed() == [1])
        #expect(queue.ask("a", 2, until: 1))
        #expect(queue.next(at: 0) == "a")
        #expect(queue.finish("a") == [2])
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
        round: UInt64 = 0,
        until seconds: Int
    ) -> Bool {
        let question = LookupQuestion(host: host, family: family, round: round)
        return queue.ask(question, id: id, waiter: id, until: start + .seconds(seconds))
    }

    func next(at seconds: Int) -> String? { queue.next(at: start + .seconds(seconds))?.host }
    func finish(_ host: String, round: UInt64 = 0, hasAddress: Bool = true) -> [UInt64] {
        queue.finish(LookupQuestion(host: host, family: nil, round: round), hasAddress: hasAddress)
    }
    func giveUp(_ id: UInt64) -> UInt64? { queue.giveUp(id)?.waiter }
    func meetsLocalLimit(_ id: UInt64) -> Bool? { queue.giveUp(id)?.isLocalLimit }
    func threadFailed(_ host: String = "a") -> [UInt64] {
        queue.threadFailed(for: LookupQuestion(host: host, family: nil))
    }
}
