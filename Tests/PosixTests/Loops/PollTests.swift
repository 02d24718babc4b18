import Glibc
import Posix
import Testing

@Suite(.timeLimit(.minutes(3)))
struct PollTests {
    @Test(arguments: [Duration.zero, .nanoseconds(1), .microseconds(300), .microseconds(1999), .seconds(-1)])
    func `a wait ends when its time has passed, not before`(limit: Duration) throws {
        let wakeup = try Wakeup()
        let began = SuspendingClock.now
        #expect(!Poll.wait(for: wakeup.number, upTo: limit))
        #expect(began.duration(to: .now) >= limit)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(3600)])
    func `a wait with a long limit, or with none, ends with what it waits for`(limit: Duration) throws {
        let wakeup = try Wakeup()
        wakeup.signal()
        #expect(Poll.wait(for: wakeup.number, upTo: limit))
        var descriptors = [pollfd(fd: wakeup.number, events: Int16(POLLIN), revents: 0)]
        Poll.wait(for: &descriptors, upTo: nil)
        #expect(descriptors[0].revents == Int16(POLLIN))
    }

    @Test(arguments: [
        (Duration.zero, Int32(0)), (.nanoseconds(1), 1), (.milliseconds(50), 50), (.microseconds(50_001), 51),
        (.seconds(-1), 0), (.seconds(Int64.max), .max),
    ])
    func `milliseconds are rounded up, within their range`(duration: Duration, expected: Int32) {
        #expect(duration.wholeMilliseconds == expected)
    }
}
