import FoundationEssentials

/// The tests until one has succeeded: the first soon after the first moment online, the next after a pause that grows.
struct FirstRuns: Sendable, Equatable {
    /// Seconds from the first moment online to the first test; nil: that moment has come.
    var delay: TimeInterval?
    /// Tests that were started or refused.
    ///
    /// A start counts from the beginning: a process that is killed in a test does not repeat it at once.
    var attempts = 0

    private static let firstPause: TimeInterval = 300
    /// A pause is at most 2¹⁰ times as long: longer than any rhythm's gap that it could replace.
    private static let maxDoublings = 10

    /// The minimum pause before the next test, in seconds, doubled each time; nil before the first test.
    var pause: TimeInterval? {
        attempts > 0 ? Self.firstPause * Double(1 << min(attempts - 1, Self.maxDoublings)) : nil
    }
}
