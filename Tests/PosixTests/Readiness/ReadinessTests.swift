import Coordination
import Glibc
import Testing

@testable import Posix

@Suite(.timeLimit(.minutes(3)))
struct ReadinessTests {
    private let readiness: Readiness

    init() throws { readiness = try Readiness(name: "readiness-test") }

    private var later: ContinuousClock.Instant { .now + .seconds(40) }

    @Test func `a socket with bytes to read is readable`() async throws {
        let pair = try SocketPair()
        async let isReady = readiness.wait(for: pair.left.number, .readable, until: later)
        pair.write()
        #expect(await isReady)
        #expect(await readiness.wait(for: pair.left.number, .readable, until: later), "and is so until it is read")
    }

    @Test func `an empty socket is writable and not readable`() async throws {
        let pair = try SocketPair()
        #expect(await readiness.wait(for: pair.left.number, .writable, until: later))
        #expect(await !readiness.wait(for: pair.left.number, .readable, until: .now + .milliseconds(20)))
    }

    @Test func `a deadline ends a wait, and never early`() async throws {
        let pair = try SocketPair()
        for milliseconds in [0, 1, 15] {
            let deadline = ContinuousClock.now + .milliseconds(milliseconds) + .microseconds(300)
            #expect(await !readiness.wait(for: pair.left.number, .readable, until: deadline))
            #expect(ContinuousClock.now >= deadline)
        }
    }

    @Test func `what is ready is ready even after its deadline`() async throws {
        let pair = try SocketPair()
        pair.write()
        #expect(await readiness.wait(for: pair.left.number, .readable, until: .now - .seconds(1)))
    }

    @Test func `what is ready before its deadline is ready, also where the loop has no processor until after it`()
        async throws
    {
        let pair = try SocketPair()
        let deadline = ContinuousClock.now + .milliseconds(100)
        // Called between the end of the kernel's wait and the look at the clock.
        let core = try ReadinessCore {
            pair.write()
            while deadline >= .now { usleep(1000) }  // until the deadline is over
        }
        let readiness = try Readiness(name: "late", core: core)
        #expect(await readiness.wait(for: pair.left.number, .readable, until: deadline))
    }

    @Test func `a nearer deadline ends its wait before a farther one`() async throws {
        let pair = try SocketPair()
        async let far = readiness.wait(for: pair.left.number, .readable, until: later)
        while readiness.waitCount == 0, !Task.isCancelled { await Task.yield() }
        #expect(await !readiness.wait(for: pair.right.number, .readable, until: .now + .milliseconds(5)))
        #expect(readiness.waitCount == 1)
        pair.write()
        #expect(await far)
    }

    @Test func `a peer that is gone ends every kind of wait`() async throws {
        let pair = try SocketPair()
        async let errors = readiness.wait(for: pair.left.number, .errorQueue, until: later)
        async let readable = readiness.wait(for: pair.left.number, .readable, until: later)
        while readiness.waitCount < 2, !Task.isCancelled { await Task.yield() }
        pair.hangUp()
        #expect(await errors)
        #expect(await readable)
    }

    @Test func `several wait on one descriptor, each for its own event`() async throws {
        let pair = try SocketPair()
        async let errors = readiness.wait(for: pair.left.number, .errorQueue, until: later)
        async let first = readiness.wait(for: pair.left.number, .readable, until: later)
        async let second = readiness.wait(for: pair.left.number, .readable, until: later)
        while readiness.waitCount < 3, !Task.isCancelled { await Task.yield() }
        #expect(await readiness.wait(for: pair.left.number, .writable, until: later))
        #expect(readiness.waitCount == 3)
        pair.write()
        #expect(await first)
        #expect(await second)
        #expect(readiness.waitCount == 1)
        pair.hangUp()
        #expect(await errors)
    }

    @Test func `a cancelled task waits no longer`() async throws {
        let pair = try SocketPair()
        let number = pair.left.number
        let deadline = later
        let task = Task { [readiness] in await readiness.wait(for: number, .readable, until: deadline) }
        while readiness.waitCount == 0, !Task.isCancelled { await Task.yield() }
        task.cancel()
        #expect(await !task.value)
        #expect(ContinuousClock.now < deadline)
        #expect(readiness.waitCount == 0)
        pair.write()
        #expect(await readiness.wait(for: pair.left.number, .readable, until: later), "for others it is ready")
    }

    @Test func `a task cancelled beforehand does not wait`() async throws {
        let pair = try SocketPair()
        let number = pair.left.number
        let deadline = later
        let task = Task { [readiness] in
            while !Task.isCancelled { await Task.yield() }
            return await readiness.wait(for: number, .readable, until: deadline)
        }
        task.cancel()
        #expect(await !task.value)
        #expect(ContinuousClock.now < deadline)
        #expect(readiness.waitCount == 0)
        pair.hangUp()
    }

    @Test func `stopping ends the waits, and those to come`() async throws {
        let pair = try SocketPair()
        async let waiting = readiness.wait(for: pair.left.number, .readable, until: later)
        while readiness.waitCount == 0, !Task.isCancelled { await Task.yield() }
        readiness.stop()
        #expect(await !waiting)
        #expect(await !readiness.wait(for: pair.left.number, .writable, until: later))
        readiness.stop()
    }

    /// One that waited would hold a thread of the pool: the alarm ends it, and thereby the test.
    @Test func `stopping does not wait for the loop's thread`() async throws {
        await #expect(processExitsWith: .success) {
            alarm(20)
            let readiness = try Readiness(name: "readiness")
            let begun = try LoopSignal()
            let gate = try LoopSignal()
            let isCalled = readiness.call(readiness.newOrder(), at: .now) {
                begun.stop()
                gate.wait()
            }
            #expect(isCalled)
            begun.wait()
            readiness.stop()
            gate.stop()
        }
    }

    @Test func `a closed descriptor is ready, so that the next call tells`() async throws {
        #expect(await readiness.wait(for: -1, .readable, until: later))
    }

    @Test func `a descriptor that takes over a number is not taken for the one before`() async throws {
        for _ in 0..<200 {
            // Taken over in one step, so that no other test's descriptor comes between.
            let (old, new) = (try SocketPair(), try SocketPair())
            let number = old.left.number
            let task = Task { [readiness, later] in await readiness.wait(for: number, .readable, until: later) }
            while readiness.waitCount == 0, !Task.isCancelled { await Task.yield() }
            // The report may be under way while the wait is given up.
            old.write()
            task.cancel()
            _ = await task.value
            #expect(dup2(new.left.number, number) == number)
            #expect(await !readiness.wait(for: number, .readable, until: .now))
        }
    }

    @Test func `a wait that ends in three ways at once is resumed once`() async throws {
        for _ in 0..<500 {
            let pair = try SocketPair()
            let number = pair.left.number
            let task = Task { [readiness] in
                await readiness.wait(for: number, .readable, until: .now + .microseconds(100))
            }
            await Task.yield()
            pair.write()
            task.cancel()
            _ = await task.value
        }
        #expect(readiness.waitCount == 0)
    }

    @Test func `1,000 wait at once and each is resumed once`() async throws {
        let pairs = try (0..<250).map { _ in try SocketPair() }
        let deadline = later
        let expired = Locked(0)
        let counts = await withTaskGroup(of: Bool.self) { group in
            for pair in pairs {
                for round in 0..<4 {
                    let until = round == 3 ? ContinuousClock.now + .milliseconds(5) : deadline
                    group.addTask { [readiness] in
                        defer { if round == 3 { expired.withLock { $0 += 1 } } }
                        return await readiness.wait(
                            for: pair.left.number,
                            round == 2 ? .errorQueue : .readable,
                            until: until
                        )
                    }
                }
            }
            group.addTask { [readiness] in
                // The 250 with a short deadline end on their own. 750 may wait while one of these does: one is to come.
                while expired.withLock({ $0 }) < 250 || readiness.waitCount != 750, !Task.isCancelled {
                    await Task.yield()
                }
                for pair in pairs { pair.write() }
                while readiness.waitCount != 250, !Task.isCancelled { await Task.yield() }
                for pair in pairs { pair.hangUp() }
                return true
            }
            return await group.reduce(into: [true: 0, false: 0]) { $0[$1, default: 0] += 1 }
        }
        #expect(counts == [true: 751, false: 250])
        #expect(readiness.waitCount == 0)
    }
}

/// Two connected stream sockets.
private final class SocketPair: Sendable {
    let left: Descriptor
    let right: Descriptor

    init() throws {
        var numbers: [Int32] = [-1, -1]
        let result = socketpair(AF_UNIX, SocketType.stream | SocketType.flags, 0, &numbers)
        left = try Descriptor(owning: result == 0 ? numbers[0] : -1, from: "socketpair")
        right = try Descriptor(owning: numbers[1], from: "socketpair")
    }

    func write() { _ = Glibc.write(right.number, "x", 1) }
    func hangUp() { _ = shutdown(right.number, Int32(SHUT_RDWR)) }
}
