/// Decides how long a transaction waits for further work, which then shares its commit.
///
/// A few writers never wait. With many, a disk that is faster than they are would get a commit for every few of them: a
/// transaction begins when as many have work as shortly before, when 4 ms brought no more, or after 20 ms.
struct CommitGathering: Sendable {
    /// Between two looks at what waits, in microseconds.
    static let pause: UInt32 = 250
    private static let longestPause: Duration = .milliseconds(4)
    private static let longest: Duration = .milliseconds(20)
    private static let fewWriters = 4

    /// An estimate of how many tasks write.
    private var writers = 0
    /// What waits for the next transaction: when the first and the last of it were seen.
    private var arrivals: (count: Int, first: Duration, last: Duration)?

    /// Notes a transaction that wrote, and what waited at its end.
    ///
    /// More at each transaction let the estimate grow until it covers all writers. It falls slowly: some may be late.
    mutating func committed(_ count: Int, waiting: Int) { writers = max(count + waiting, writers * 3 / 4) }

    /// Whether a transaction with what waits now begins later.
    mutating func continues(with waiting: Int, now: Duration) -> Bool {
        guard writers >= Self.fewWriters, waiting > 0, waiting < writers else {
            arrivals = nil
            return false
        }
        var seen = arrivals ?? (waiting, now, now)
        if waiting > seen.count { (seen.count, seen.last) = (waiting, now) }
        let continues = now - seen.last < Self.longestPause && now - seen.first < Self.longest
        arrivals = continues ? seen : nil
        return continues
    }
}
