import Coordination
import Lab
import Testing

@Suite(.timeLimit(.minutes(3)))
struct AlarmTests {
    private let clock = ManualClock()

    @Test func `sleeps until its time`() async {
        let alarm = Alarm(Stopwatch(clock))
        async let slept: Void = alarm.sleep(until: .seconds(5))
        await clock.sleeper(until: .seconds(5))
        clock.advance(to: .seconds(5))
        await slept
    }

    @Test func `Is ended by a wake`() async {
        let alarm = Alarm(Stopwatch(clock))
        async let slept: Void = alarm.sleep(until: .seconds(5))
        await clock.sleeper(until: .seconds(5))
        alarm.wake()
        await slept
    }

    @Test func `a wake before the sleep is not missed, and ends one sleep only`() async {
        let alarm = Alarm(Stopwatch(clock))
        alarm.wake()
        alarm.wake()
        await alarm.sleep(until: .seconds(5))
        async let slept: Void = alarm.sleep(until: .seconds(6))
        await clock.sleeper(until: .seconds(6))
        clock.advance(to: .seconds(6))
        await slept
    }

    @Test func `ends with its task`() async {
        let (alarm, clock) = (Alarm(Stopwatch(clock)), clock)
        let task = Task { await alarm.sleep(until: .seconds(5)) }
        await clock.sleeper(until: .seconds(5))
        task.cancel()
        await task.value
    }

    @Test func `a woken sleep leaves one timer, which serves later sleeps`() async {
        let alarm = Alarm(Stopwatch(clock))
        async let first: Void = alarm.sleep(until: .seconds(5))
        await clock.sleeper(until: .seconds(5))
        alarm.wake()
        await first
        for _ in 1...10 {
            async let slept: Void = alarm.sleep(until: .seconds(6))
            alarm.wake()
            await slept
        }
        #expect(clock.sleeperCount == 1)
        async let last: Void = alarm.sleep(until: .seconds(7))
        while !alarm.isSleeping { await Task.yield() }
        clock.advance(to: .seconds(5))
        await clock.sleeper(until: .seconds(7))
        clock.advance(to: .seconds(7))
        await last
    }
}
