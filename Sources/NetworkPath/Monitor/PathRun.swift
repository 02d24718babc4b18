import Posix

/// One run of a monitor: what its owner sends to the loop's thread, and the signal back.
final class PathRun: Sendable {
    enum Message: Sendable {
        case configuration(PathConfiguration)
        /// Answered with a copy of the recorded state; nil while the kernel cannot be read.
        case stateRequest(@Sendable (RawState?) -> Void)
        /// Answered with the ways out, by what the kernel answers now; nil while it cannot be read.
        case survey(@Sendable ([WayOut]?) -> Void)
        /// Answered when the counters have been read, or cannot be.
        case counters(@Sendable () -> Void)
    }

    let mailbox: Mailbox<Message>
    /// Signalled once the first path, or the first failure, is there.
    let ready: Wakeup
    /// Until when a read waits for that.
    let readyBy = ContinuousClock.now + PathMonitor.firstPathLimit

    init() throws(SystemError) {
        mailbox = try Mailbox(capacity: 64)
        ready = try Wakeup()
    }
}
