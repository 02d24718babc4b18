extension LoopThread {
    /// Runs a loop on a thread of its own for as long as the calling task is not cancelled.
    ///
    /// Cancelling stops the signal, upon which `body` must return soon; the task is suspended until then.
    ///
    /// - Parameters:
    ///   - name: for `top -H` (the kernel keeps 15 bytes).
    ///   - body: the loop, with the signal that it waits for.
    /// - Throws: when no thread or descriptor can be had.
    package static func run(
        name: String,
        _ body: @escaping @Sendable (LoopSignal) -> Void
    ) async throws(SystemError) {
        let signal = try LoopSignal()
        var thread: LoopThread?
        var failure: SystemError?
        await withTaskCancellationHandler {
            await withCheckedContinuation { ended in
                do throws(SystemError) {
                    thread = try LoopThread(name: name) {
                        body(signal)
                        ended.resume()
                    }
                } catch {
                    failure = error
                    ended.resume()
                }
            }
        } onCancel: {
            signal.stop()
        }
        if let failure { throw failure }
        // The loop has returned: this waits for the last instructions of its thread.
        if let thread = thread.take() { thread.join() }
    }
}
