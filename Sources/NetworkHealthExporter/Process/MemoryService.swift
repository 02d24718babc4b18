import CMemory
import ServiceLifecycle

/// Gives back the memory that only the start has needed.
///
/// Of 33 MB after the start, 28 MB are pages of the executable and of 40 libraries; half of them are not used again.
struct MemoryService: Service {
    /// By then each source has run once.
    private static let delay = Duration.seconds(10)

    func run() async throws {
        // A shutdown ends the wait.
        guard (try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.delay) }) != nil else { return }
        nhe_give_back_memory()
        try? await gracefulShutdown()
    }
}
