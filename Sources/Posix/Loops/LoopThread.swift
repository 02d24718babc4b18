import CLinux
package import Coordination
import Glibc

/// A named thread of our own for a loop that blocks in `poll`, away from the cooperative pool.
package struct LoopThread: ~Copyable, Sendable {
    // pthread_t is a plain number here; joining it from another thread is what it is for.
    private let thread: pthread_t
    /// Opened when the body has returned.
    package let ended: Gate<Void>

    /// Starts `body` on a new thread, named for `top -H` (the kernel keeps 15 bytes).
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var thread = pthread_t()
        let start = Start(name: name, body: body)
        let context = Unmanaged.passRetained(start)
        let code = pthread_create(&thread, nil, runLoopThread, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw SystemError(call: "start the thread \(name)", code: code)
        }
        self.thread = thread
        ended = start.ended
    }

    /// Waits for the thread to end.
    ///
    /// Blocks: never call it on the cooperative pool while the loop may still work.
    @available(*, noasync) package consuming func join() {
        pthread_join(thread, nil)
    }

    /// Suspends the task until the thread has ended, also where the task is cancelled.
    package consuming func join() async {
        await ended.wait()
        // What is left is to return from the C function.
        pthread_join(thread, nil)
    }

    /// Lets the thread end by itself, for one whose body may block as long as it likes.
    package consuming func detach() {
        pthread_detach(thread)
    }
}

extension LoopThread {
    /// Runs a loop on a thread of its own until it returns.
    ///
    /// Cancelling the calling task stops the mailbox, upon which `body` must return soon; the task is suspended until
    /// then.
    ///
    /// - Parameters:
    ///   - name: for `top -H` (the kernel keeps 15 bytes).
    ///   - mailbox: what the loop waits for.
    ///   - body: the loop.
    /// - Throws: when no thread is left.
    package static func run<Message>(
        name: String,
        mailbox: Mailbox<Message>,
        _ body: @escaping @Sendable () -> Void
    ) async throws(SystemError) {
        let thread = try LoopThread(name: name, body)
        let ended = thread.ended
        await withTaskCancellationHandler {
            await ended.wait()
        } onCancel: {
            mailbox.stop()
        }
        await thread.join()
    }

    /// Runs a loop that receives no messages, only the request to stop.
    ///
    /// - Throws: when no thread or descriptor is left.
    package static func run(
        name: String,
        _ body: @escaping @Sendable (LoopSignal) -> Void
    ) async throws(SystemError) {
        let signal = try LoopSignal()
        try await run(name: name, mailbox: signal) { body(signal) }
    }
}

private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    let ended = Gate<Void>()

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// The C entry point: takes back the retained `Start` and runs it.
private func runLoopThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
    nhe_name_thread(start.name)
    start.body()
    start.ended.open()
    return nil
}
