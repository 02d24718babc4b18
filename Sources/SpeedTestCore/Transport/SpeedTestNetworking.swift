/// Whoever performs the HTTP requests of a speed test.
///
/// Each call ends soon after its task is cancelled: that is how a test ends its load. An answer of any status is an
/// answer; a `NetworkError` says why there is none.
public protocol SpeedTestNetworking: Sendable {
    /// Performs a small GET and tells its body and how long the answer took.
    func get(_ request: SpeedTestRequest) async throws -> SpeedTestResponse

    /// Performs a GET whose body is thrown away, and calls `received` with the size of each piece as it arrives.
    func download(
        _ request: SpeedTestRequest,
        received: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse

    /// Performs a POST of so many random bytes, and calls `sent` with the size of each piece as it leaves.
    func upload(
        _ request: SpeedTestRequest,
        byteCount: Int,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws -> SpeedTestResponse
}
