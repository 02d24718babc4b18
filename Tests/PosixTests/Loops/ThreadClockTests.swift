import CLab
import Coordination
import Glibc
import Posix
import Testing

@Suite(.timeLimit(.minutes(3)))
struct ThreadClockTests {
    /// What a thread did between two readings of its clock.
    private struct Account {
        var time: ThreadClock.Reading
        var elapsed: Duration
    }

    /// Runs for 50 ms, and sleeps for 200 ms.
    private static func work() -> Account? {
        guard let clock = ThreadClock.ofThisThread() else { return nil }
        // Before the reading: a wait for the processor between the two would count in it alone.
        let begin = ContinuousClock.now
        guard let start = clock.reading, let waited = start.waited else { return nil }
        while ThreadClock.now < start.ran + .milliseconds(50) {}
        usleep(200_000)  // the time without the processor, which must not count
        guard let end = clock.reading, let waitedEnd = end.waited else { return nil }
        let time = ThreadClock.Reading(ran: end.ran - start.ran, waited: waitedEnd - waited)
        return Account(time: time, elapsed: begin.duration(to: .now))
    }

    @Test func `a thread waits while another one has its processor, and does not while it sleeps`() async throws {
        let (isOver, measured) = (Locked(false), Locked<Account?>(nil))
        let (started, starting) = AsyncStream<Bool>.makeStream()
        let other = try LoopThread(name: "other") {
            starting.yield(nhe_use_first_processor() == 0)
            while !isOver.withLock({ $0 }) {}
        }
        for await isPinned in started {
            #expect(isPinned)
            break
        }
        let worker = try LoopThread(name: "worker") {
            if nhe_use_first_processor() == 0 { measured.withLock { $0 = Self.work() } }
            isOver.withLock { $0 = true }
        }
        await worker.join()
        await other.join()
        let account = try #require(measured.withLock { $0 })
        // The two share the processor: half of the time is the other one's.
        #expect(try #require(account.time.waited) > .milliseconds(25), "\(account)")
        #expect(account.elapsed - account.time.busy > .milliseconds(190), "\(account)")
    }
}
