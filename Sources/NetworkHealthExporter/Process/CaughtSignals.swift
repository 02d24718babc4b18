import CSignals
import Glibc
import Posix

/// The signals that were sent to this process from its first instant on, for a command that runs until one comes.
struct CaughtSignals: Sendable {
    /// One element for SIGTERM or SIGINT; more of them before it is read are the same.
    let stops: AsyncStream<Void>
    /// One element for SIGHUP, and for those that follow before it is read.
    let hangups: AsyncStream<Void>
    private let stop: AsyncStream<Void>.Continuation
    private let hangup: AsyncStream<Void>.Continuation

    init() {
        (stops, stop) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (hangups, hangup) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Delivers them until the calling task is cancelled; one at a time may do so.
    ///
    /// - Throws: when no thread or descriptor is left.
    func run() async throws(SystemError) {
        try await LoopThread.run(name: "signals") { signal in
            let caught = nhe_caught_signals()
            while !signal.isStopped {
                signal.wait(or: caught)
                var number: UInt8 = 0
                while read(caught, &number, 1) == 1 {
                    if Int32(number) == SIGHUP { hangup.yield() } else { stop.yield() }
                }
            }
        }
    }

    /// Restores their default actions, for a command that they shall end; signals already caught take effect.
    static func restore() { nhe_restore_signals() }
}
