/// The health of this host's network: ask for it now, or follow it.
///
/// The kernel is read, nothing is sent. The first use starts one monitor for the whole process.
public enum NetworkHealth {
    /// What is known now; at most 50 ms, and never a guess.
    ///
    /// Where the kernel cannot be read the answer is `offline` over an `unknown` interface.
    public static func snapshot() async -> NetworkSnapshot {
        await HealthMonitor.shared.snapshot(within: .milliseconds(50))
    }

    /// The current value first, then each change of any field but timestamp and latency.
    ///
    /// A slow reader keeps the newest 64. The stream ends when the task that reads it is cancelled.
    public static func stream() -> AsyncStream<NetworkSnapshot> { HealthMonitor.shared.snapshotChanges() }
}
