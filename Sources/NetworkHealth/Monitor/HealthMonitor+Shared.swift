import FoundationEssentials

extension HealthMonitor {
    /// The one that the static functions use, watching since its first use.
    ///
    /// It can only fail to start where no thread can be had; its users then see `offline` over an `unknown` interface.
    static let shared: HealthMonitor = {
        let monitor = HealthMonitor()
        try? monitor.start()
        return monitor
    }()

    /// The first state that is enough, the current one included; when that takes longer than `limit`, the current one.
    package func firstState(
        within limit: Duration,
        isEnough: @escaping @Sendable (HealthState) -> Bool = { _ in true }
    ) async -> HealthState? {
        if let current, isEnough(current) { return current }
        return await withTaskGroup(of: HealthState?.self) { group in
            group.addTask {
                for await state in self.changes() where isEnough(state) { return state }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return self.current
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// The current snapshot; `offline` where there is none in time.
    func snapshot(within limit: Duration) async -> NetworkSnapshot {
        await firstState(within: limit)?.snapshot
            ?? NetworkSnapshot(
                quality: .offline,
                connectionType: .unknown,
                isExpensive: false,
                isConstrained: false,
                timestamp: .now
            )
    }
}
