import SpeedTestCore

/// Answers each request with 200, and moves nothing: a test replaces what it is about.
protocol AnsweringNetworking: SpeedTestNetworking {}

extension AnsweringNetworking {
    func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse { SpeedTestResponse(status: 200) }

    func download(
        _ request: SpeedTestRequest,
        received: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse { SpeedTestResponse(status: 200) }

    func upload(
        _ request: SpeedTestRequest,
        byteCount: Int,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse { SpeedTestResponse(status: 200) }
}
