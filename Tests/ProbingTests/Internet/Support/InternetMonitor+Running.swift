@testable import Probing

extension InternetMonitor {
    /// Runs as long as `body` does.
    func running(_ body: () async throws -> Void) async rethrows {
        let task = Task { await run() }
        defer { task.cancel() }
        try await body()
        task.cancel()
        await task.value
    }
}

extension FakeInternet {
    /// What makes an online internet of the lab's configuration.
    static let online: [String: Answer] = [
        "http://first.example/204": .status(204), "https://third.example/": .status(200),
    ]
}
