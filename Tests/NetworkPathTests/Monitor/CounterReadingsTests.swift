import Coordination
import Testing

@testable import NetworkPath

/// When the counters of the path's devices are read, with the clock handed in.
struct CounterReadingsTests {
    private let start = SuspendingClock.now
    private let interval = Duration.seconds(4)

    @Test
    func `they are read often in the second after a link has changed, in which a carrier is lost without a message`() {
        var readings = CounterReadings(at: start)
        #expect(readings.due == nil)
        readings.wasRead(at: start, isEmpty: false, interval: interval)
        #expect(readings.due == start + .milliseconds(400), "a link may have changed before the start")
        readings.wasRead(at: start + .seconds(2), isEmpty: false, interval: interval)
        #expect(readings.due == start + .seconds(6))

        var now = start + .seconds(3)
        readings.linkChanged(at: now)
        var looks: [Duration] = []
        while let due = readings.due, due < start + .seconds(7) {
            now = due
            looks.append(start.duration(to: now))
            readings.wasRead(at: now, isEmpty: false, interval: interval)
        }
        #expect(looks == [.milliseconds(3400), .milliseconds(3800), .milliseconds(4200)])
        #expect(readings.due == now + interval)
    }

    @Test func `who asks waits for a reading that is made at once`() {
        var readings = CounterReadings(at: start)
        let answers = Locked(0)
        readings.request(at: start) { answers.withLock { $0 += 1 } }
        #expect(answers.read { $0 } == 1, "without a device there is nothing to read")
        readings.wasRead(at: start + .seconds(2), isEmpty: false, interval: interval)
        readings.request(at: start + .seconds(3)) { answers.withLock { $0 += 1 } }
        #expect(readings.due == start + .seconds(3) && answers.read { $0 } == 1)
        readings.answer()
        readings.answer()
        #expect(answers.read { $0 } == 2)
    }

    @Test func `without a device nothing is read`() {
        var readings = CounterReadings(at: start)
        readings.wasRead(at: start, isEmpty: true, interval: interval)
        readings.linkChanged(at: start)
        #expect(readings.due == nil)
    }
}
