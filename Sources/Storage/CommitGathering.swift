/// Decides how long a transaction waits for further work, which then shares its commit.
///
/// A few writers never wait. With many, a disk that is faster than they are would get a commit for every few of them: a
/// transaction begins when as many have work as shortly before, when 16 looks in a row (4 ms) found no more, or after 50 ms.
struct CommitGathering: Sendable {
    /// Between two looks at what waits, in microseconds.
    static let pause: UInt32 = 250
    /// Not a time: on a busy machine the writers get no more of a processor than the thread that looks.
    private static let vainLooks = 16
    private static let longest: Duration = .milliseconds(50)
    private static let fewWriters = 4

    /// An estimate of how many tasks write.
    private var writers = 0
    /// What waits for the next transaction, since when, and how often no more was found.
    private var arrivals: (count: Int, start: Duration, vainLooks: Int)?

    /// Notes how many wrote in a transaction, and what waited at its end.
    ///
    /// More at each transaction let the estimate grow until it covers all writers. It falls slowly: some may be late.
    mutating func committed(_ count: Int, waiting: Int) { writers = max(count + waiting, writers * 3 / 4) }

    /// Whether a transaction with what waits now begins later.
    mutating func continues(with waiting: Int, now: Duration) -> Bool {
        guard writers >= Self.fewWriters, waiting > 0, waiting < writers else {
            arrivals = nil
            return false
        }
        var seen = arrivals ?? (0, now, 0)
        seen = waiting > seen.count ? (waiting, seen.start, 0) : (seen.count, seen.start, seen.vainLooks + 1)
        let continues = seen.vainLooks < Self.vainLooks && now - seen.start < Self.longest
        arrivals = continues ? seen : nil
        return continues
    }
}
