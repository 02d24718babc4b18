import Locking
import Posix

/// Runs what blocks on a thread of its own, while the caller's task hears of its progress.
enum NDT7Thread {
    /// Cancelling the task stops the signal, upon which `body` must return soon.
    ///
    /// - Parameters:
    ///   - progress: called by the caller's task; steps that come faster than it returns are left out.
    ///   - body: gets the signal to obey and where to tell its progress.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or that there is no thread to be had.
    static func run<Value: Sendable>(
        progress: @Sendable (SpeedTestProgress) -> Void,
        _ body: @escaping @Sendable (LoopSignal, (SpeedTestProgress) -> Void) throws(SpeedTestFailure) -> Value
    ) async throws(SpeedTestFailure) -> Value {
        let (steps, teller) = AsyncStream<SpeedTestProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
        async let outcome = onThread(teller, body)
        for await step in steps { progress(step) }
        return try await outcome.get()
    }

    private static func onThread<Value: Sendable>(
        _ teller: AsyncStream<SpeedTestProgress>.Continuation,
        _ body: @escaping @Sendable (LoopSignal, (SpeedTestProgress) -> Void) throws(SpeedTestFailure) -> Value
    ) async -> Result<Value, SpeedTestFailure> {
        defer { teller.finish() }
        let outcome = Locked<Result<Value, SpeedTestFailure>?>(nil)
        do throws(SystemError) {
            try await LoopThread.run(name: "nhe-ndt7") { signal in
                let result = Result { () throws(SpeedTestFailure) in try body(signal) { teller.yield($0) } }
                outcome.withLock { $0 = result }
            }
        } catch {
            return .failure(SpeedTestFailure(.unreachable, "\(error)"))
        }
        return outcome.withLock { $0 } ?? .failure(SpeedTestFailure(.cancelled, "the test was stopped"))
    }
}
