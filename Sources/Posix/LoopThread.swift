import CLinux
import Glibc

/// A named thread of our own for a loop that blocks in `poll`, away from the cooperative pool.
package struct LoopThread: ~Copyable, Sendable {
    // pthread_t is a plain number here; joining it from another thread is what it is for.
    private let thread: pthread_t

    /// Starts `body` on a new thread, named for `top -H` (the kernel keeps 15 bytes).
    package init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var thread = pthread_t()
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        let code = pthread_create(&thread, nil, runLoopThread, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw SystemError(call: "pthread_create", code: code)
        }
        self.thread = thread
    }

    /// Waits for the thread to end.
    ///
    /// Blocks: never call it on the cooperative pool while the loop may still work.
    package consuming func join() {
        pthread_join(thread, nil)
    }

    /// Lets the thread end by itself, for one whose body may block as long as it likes.
    package consuming func detach() {
        pthread_detach(thread)
    }
}

private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

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
    return nil
}
