import ServiceLifecycle
import UnixSignals

/// Ends when a signal asks for it, and the group with it.
///
/// The group's own way to trap signals begins with its run: one that came before would kill the process.
struct StopService: Service {
    let signals: UnixSignalsSequence

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() { return }
    }
}
