package import FoundationEssentials

extension SpeedTestScheduler {
    /// What outlives the process: stored after each change, and at a start before the test's first byte.
    package struct Memory: Sendable, Equatable, Codable {
        package var lastStart: Date?
        /// The last test has failed without a byte; nil: it moved some, or its process was killed in it.
        package var lastIsUnused: Bool?
        package var nextRun: Date?
        /// The time of the next run by the rhythm alone: an interval continues from it.
        package var nominal: Date?
        /// The end of a server's Retry-After.
        package var notBefore: Date?
        /// First tests that were started or refused; nil: one has succeeded.
        package var attempts: Int?
        /// The planned gap, in seconds, where the budget stretches it.
        package var stretchedGap: TimeInterval?
        /// The schedule as text; another one is planned anew.
        package var plan: String?

        package init(lastStart: Date? = nil, nextRun: Date? = nil) {
            self.lastStart = lastStart
            self.nextRun = nextRun
        }

        /// In seconds: a time that is further away is that of a damaged file, and no interval can continue from it.
        private static let furthest: TimeInterval = 1e10

        /// Without times that are centuries away.
        func believed(at now: Date) -> Self {
            func near(_ date: Date?) -> Date? {
                date.flatMap { abs($0.timeIntervalSince(now)) < Self.furthest ? $0 : nil }
            }
            var memory = self
            (memory.lastStart, memory.nextRun) = (near(lastStart), near(nextRun))
            (memory.nominal, memory.notBefore) = (near(nominal), near(notBefore))
            return memory
        }
    }
}
