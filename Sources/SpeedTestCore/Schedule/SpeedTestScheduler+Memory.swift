package import FoundationEssentials

extension SpeedTestScheduler {
    /// What outlives the process: stored after each change, a start before the test's first byte.
    package struct Memory: Sendable, Equatable, Codable {
        package var lastStart: Date?
        package var nextRun: Date?
        /// The rhythm's own time for the next run: the grid that an interval goes on with.
        package var nominal: Date?
        /// A server asked not to be asked before.
        package var notBefore: Date?

        /// The schedule that this belongs to, in words; another one plans anew.
        package var plan: String?

        package init(lastStart: Date? = nil, nextRun: Date? = nil) {
            self.lastStart = lastStart
            self.nextRun = nextRun
        }
    }
}
