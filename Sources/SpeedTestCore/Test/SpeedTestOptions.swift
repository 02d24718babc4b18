/// How much one test may do.
package struct SpeedTestOptions: Sendable, Equatable {
    /// In this order; none: only the idle latency.
    package var directions: [Direction] = [.download, .upload]
    /// The measured window of each direction, after the warm-up.
    package var window: ClosedRange<Duration> = .seconds(5) ... .seconds(10)
    /// Bytes that may move in each direction, latency probes and warm-up included; nil: no limit.
    package var byteLimit: [Direction: UInt64] = [:]
    /// When a direction is ended whatever it has measured.
    package var directionWall: Duration = .seconds(20)
    /// The same for the whole test.
    package var testWall: Duration = .seconds(90)
    /// Bound to this device; nil: the kernel chooses.
    package var interface: String?
    /// Requests that the idle latency is taken from.
    package var idleSamples = 20

    package init() {}
}
