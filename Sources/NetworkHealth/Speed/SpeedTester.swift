/// Measures how fast the network is, however it likes.
public protocol SpeedTester: Sendable {
    /// One test.
    ///
    /// - Returns: what it found.
    /// - Throws: whatever kept it from finding all of it; half a result is none.
    func measureSpeed() async throws -> SpeedTestResult
}
