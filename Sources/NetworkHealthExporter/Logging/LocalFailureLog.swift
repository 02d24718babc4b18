/// When to log that probes failed at a limit of this machine: the first at once, then at most once a minute.
struct LocalFailureLog: Sendable {
    static let interval = Duration.seconds(60)

    private var count: UInt64 = 0
    private var loggedAt: Duration?

    /// Counts one, at a time since an origin of the caller's.
    ///
    /// - Returns: how many there were since the last line, when it is time for one; else nil.
    mutating func failed(at now: Duration) -> UInt64? {
        count += 1
        if let loggedAt, now - loggedAt < Self.interval { return nil }
        defer { (count, loggedAt) = (0, now) }
        return count
    }
}
