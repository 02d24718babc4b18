import Coordination
import Foundation
import Testing

@Suite(.timeLimit(.minutes(3)))
struct LockedTests {
    private struct Refused: Error {}

    /// Runs `body` on as many threads at once, and waits for all of them.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            body()
                            continuation.resume()
                        }
                    }
                }
            }
        }
    }

    @Test func `one thread at a time has the value`() async {
        struct Value {
            var count = 0
            var inside = 0
            var most = 0
        }
        let value = Locked(Value())
        await onThreads(8) {
            for _ in 0..<500 {
                value.withLock { value in
                    value.inside += 1
                    value.most = max(value.most, value.inside)
                    let count = value.count
                    // Another thread runs here, and waits.
                    sched_yield()
                    value.count = count + 1
                    value.inside -= 1
                }
            }
        }
        #expect(value.read { $0.count } == 4000)
        #expect(value.read { $0.most } == 1)
    }

    @Test func `a thread waits for the lock until the one that has it leaves`() async {
        let order = Locked<[String]>([])
        let value = Locked(0)
        let isComing = DispatchSemaphore(value: 0)
        let isHeld = DispatchSemaphore(value: 0)
        let turn = Locked(0)
        await onThreads(2) {
            if turn.withLock({ turn in
                turn += 1
                return turn == 1
            }) {
                value.withLock { value in
                    isHeld.signal()
                    isComing.wait()
                    for _ in 0..<100 { sched_yield() }
                    value = 1
                    order.withLock { $0.append("first") }
                }
            } else {
                isHeld.wait()
                isComing.signal()
                value.withLock { value in order.withLock { $0.append("second saw \(value)") } }
            }
        }
        #expect(order.withLock { $0 } == ["first", "second saw 1"])
    }

    @Test func `an error leaves it free, with what was done until then`() {
        let value = Locked(1)
        #expect(throws: Refused.self) {
            try value.withLock { value in
                value = 2
                throw Refused()
            }
        }
        #expect(value.withLock { $0 } == 2)
        #expect(throws: Refused.self) { try value.read { (_) throws -> Void in throw Refused() } }
        #expect(value.read { $0 } == 2)
    }

    @Test func `a value without copies is held, and ends with its lock`() {
        struct Handle: ~Copyable {
            let end: @Sendable () -> Void
            var uses = 0
            deinit { end() }
        }
        let ends = Locked(0)
        do {
            let handle = Locked(Handle(end: { ends.withLock { $0 += 1 } }))
            for _ in 0..<3 { handle.withLock { $0.uses += 1 } }
            #expect(handle.withLock { $0.uses } == 3)
            #expect(ends.withLock { $0 } == 0)
        }
        #expect(ends.withLock { $0 } == 1)
    }
}
