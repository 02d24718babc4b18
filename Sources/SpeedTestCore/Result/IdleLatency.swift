/// How far the server is while nothing loads the path.
package struct IdleLatency: Sendable, Equatable {
    /// The median: from the last byte of a request on a warm connection to the first of its answer, the server's own
    /// time taken off where it tells.
    package var latency: Duration
    /// The mean of the differences between one sample and the next (RFC 3393's variation, of round trips).
    package var jitter: Duration
    package var minimum: Duration
    /// Requests without an answer in time, 0…1.
    package var loss: Double

    package init(latency: Duration, jitter: Duration, minimum: Duration, loss: Double = 0) {
        self.latency = latency
        self.jitter = jitter
        self.minimum = minimum
        self.loss = loss
    }
}
