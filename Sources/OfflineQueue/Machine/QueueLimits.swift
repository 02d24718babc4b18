/// What a queue holds at most, and for how long.
public struct QueueLimits: Sendable, Equatable {
    /// Requests that may wait; one more is refused with ``OfflineError/full``.
    public var maxRequests: Int
    /// The sum of their bytes.
    public var maxBytes: Int
    /// A request that is older is discarded.
    public var maxAge: Duration
    /// How many requests are sent at the same time, each with another ordering key, or without one to another host.
    public var maxInFlight: Int
    /// The sum of their bytes, of which there are two copies in memory; a larger request is sent alone.
    public var maxInFlightBytes: Int

    /// The defaults: 10,000 requests, 64 MB, 24 hours, four at a time with 16 MiB.
    public init(
        maxRequests: Int = 10_000,
        maxBytes: Int = 64_000_000,
        maxAge: Duration = .seconds(86_400),
        maxInFlight: Int = 4,
        maxInFlightBytes: Int = 16 << 20
    ) {
        self.maxRequests = maxRequests
        self.maxBytes = maxBytes
        self.maxAge = maxAge
        self.maxInFlight = maxInFlight
        self.maxInFlightBytes = maxInFlightBytes
    }
}
