/// One way to measure against one server: HTTP transfers, or ndt7's WebSockets.
///
/// Each call ends within the walls of the options it was made with, and soon after its task is cancelled.
package protocol DirectionMeasuring: Sendable {
    /// Where the connections go, for the report.
    var host: String { get }

    /// Looks for what must be known before the first measurement, such as the server's own list of addresses.
    func prepare() async throws(SpeedTestFailure)

    /// The latency of the unloaded path.
    func idleLatency(
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) -> IdleLatency

    /// Loads one direction and tells what it carried.
    func measure(
        _ direction: Direction,
        idle: IdleLatency?,
        progress: @Sendable (SpeedTestProgress) -> Void
    ) async throws(SpeedTestFailure) -> DirectionReport
}
