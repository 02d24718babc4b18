/// When to log a failure that repeats: the first at once, then at most once in each interval.
struct LogThrottle: Sendable {
    let interval: Duration
    private var count: UInt64 = 0
    private var loggedAt: Duration?

    init(interval: Duration = .seconds(60)) { self.interval = interval }

    /// Counts one failure; `now` is the time since any fixed moment.
    ///
    /// - Returns: the number of failures since the last line, when the next one is due; else nil.
    mutating func failed(at now: Duration) -> UInt64? {
        count += 1
        if let loggedAt, now - loggedAt < interval { return nil }
        defer { (count, loggedAt) = (0, now) }
        return count
    }
}
