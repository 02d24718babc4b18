import Coordination
import Lab
import Testing

@Suite(.timeLimit(.minutes(3)))
struct StopwatchTests {
    private let clock = ManualClock()

    @Test func `counts from when it was made`() {
        clock.advance(by: .seconds(5))
        let stopwatch = Stopwatch(clock)
        #expect(stopwatch.elapsed == .zero)
        clock.advance(by: .milliseconds(1500))
        #expect(stopwatch.elapsed == .milliseconds(1500))
    }

    @Test func `a sleep ends at its time, and not before`() async throws {
        clock.advance(by: .seconds(5))
        let stopwatch = Stopwatch(clock)
        let end = Task {
            try await stopwatch.sleep(until: .seconds(2))
            return stopwatch.elapsed
        }
        await clock.sleeper(until: .seconds(7))
        clock.advance(by: .seconds(1))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(2))
        #expect(try await end.value == .seconds(3))
    }

    @Test func `a cancelled sleep throws`() async {
        let (clock, stopwatch) = (clock, Stopwatch(clock))
        let task = Task { try await stopwatch.sleep(until: .seconds(2)) }
        await clock.sleeper(until: .seconds(2))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
