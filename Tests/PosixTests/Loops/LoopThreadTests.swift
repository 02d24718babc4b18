import Coordination
import Posix
import Testing

@Suite(.timeLimit(.minutes(3)))
struct LoopThreadTests {
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

    @Test func `cancelling the task stops the mailbox that its loop waits for`() async throws {
        let mailbox = try Mailbox<Int>(capacity: 2)
        let sum = Locked(0)
        let (received, receive) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await LoopThread.run(name: "loop", mailbox: mailbox) {
                var isStopped = false
                while !isStopped {
                    mailbox.wait()
                    let (messages, end) = mailbox.take()
                    isStopped = end
                    sum.withLock { $0 += messages.reduce(0, +) }
                    if !messages.isEmpty { receive.yield() }
                }
            }
        }
        mailbox.post(1)
        for await _ in received { break }
        mailbox.post(2)
        task.cancel()
        try await task.value
        #expect(sum.withLock { $0 } == 3)
        #expect(mailbox.post(4) == .stopped)
    }

    @Test func `a task awaits the end of a thread, also when it is cancelled`() async throws {
        let signal = try LoopSignal()
        let hasEnded = Locked(false)
        let thread = try LoopThread(name: "loop") {
            signal.wait()
            hasEnded.withLock { $0 = true }
        }
        let ended = thread.ended
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await ended.wait()
            return hasEnded.withLock { $0 }
        }
        signal.stop()
        #expect(await task.value)
        await thread.join()
        #expect(hasEnded.withLock { $0 })
    }

    @Test func `a gate gives all who wait the first value`() async {
        let gate = Gate<Int>()
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { await gate.wait() } }
            gate.open(with: 1)
            gate.open(with: 2)
            for await value in group { #expect(value == 1) }
        }
        #expect(await gate.wait() == 1)
    }
}
