import SpeedTestCore

/// A line without a network: so many bytes a second in all, and a round trip.
struct SteadyNetworking: SpeedTestNetworking {
    /// Of four streams, as many as a line of less than 8 Mbit/s gets.
    var bytesPerSecond = 0.9e6
    var status = 200
    var error: NetworkError?

    func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse {
        if let error { throw error }
        return SpeedTestResponse(status: status, body: Array(#"{"status":"pong"}"#.utf8), latency: .milliseconds(7))
    }

    func download(
        _ request: SpeedTestRequest,
        received: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse {
        try await move(upTo: .max, received)
    }

    func upload(
        _ request: SpeedTestRequest,
        byteCount: Int,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse {
        try await move(upTo: byteCount, sent)
    }

    /// Each stream has its share, by the clock: however late a step is, its bytes are those of the time passed.
    private func move(upTo limit: Int, _ moved: @Sendable (Int) -> Void) async throws -> SpeedTestResponse {
        let start = ContinuousClock.now
        var total = 0.0
        while Int(total) < limit {
            // The pace of the load.
            try await Task.sleep(for: .milliseconds(10))
            let due = (start.duration(to: .now) / .seconds(1)) * bytesPerSecond / 4
            let count = min(Int(due - total), limit - Int(total))
            moved(count)
            total += Double(count)
        }
        return SpeedTestResponse(status: status)
    }
}
