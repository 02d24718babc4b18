import Locking
import Posix
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoopThreadTaskTests {
    @Test func `runs a loop until the task is cancelled`() async throws {
        let (started, starting) = AsyncStream<Void>.makeStream()
        let rounds = Locked(0)
        let task = Task {
            try await LoopThread.run(name: "loop") { signal in
                starting.yield()
                // The task may be cancelled before the first wait, which then returns at once.
                repeat {
                    signal.wait()
                    rounds.withLock { $0 += 1 }
                } while !signal.isStopped
            }
        }
        for await _ in started { break }
        task.cancel()
        try await task.value
        #expect(rounds.withLock { $0 } == 1)
    }

    @Test func `a task that is cancelled beforehand ends its loop at once`() async throws {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await LoopThread.run(name: "loop") { signal in
                while !signal.isStopped { signal.wait() }
            }
        }
        task.cancel()
        try await task.value
    }

    @Test func `a signal sent before the wait ends it`() throws {
        let signal = try LoopSignal()
        signal.wake()
        signal.wait()
        #expect(!signal.isStopped)
        // And only that one.
        let began = ContinuousClock.now
        signal.wait(upTo: .milliseconds(20))
        #expect(began.duration(to: .now) >= .milliseconds(20))
    }

    @Test func `waits for a descriptor too`() throws {
        let signal = try LoopSignal()
        let other = try Wakeup()
        other.signal()
        signal.wait(or: other.number)
    }
}
