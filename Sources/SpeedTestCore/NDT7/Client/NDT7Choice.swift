import Posix

/// Which of several servers a test goes to, and by which of its addresses.
struct NDT7Choice: Sendable {
    private let candidates: [NDT7Candidate]
    private var index = 0
    /// That of its connections; nil before the first.
    var address: IPAddress?

    init(candidates: [NDT7Candidate] = []) { self.candidates = candidates }

    var current: NDT7Candidate? { index < candidates.count ? candidates[index] : nil }

    /// Takes the next one; false where this was the last, which stays.
    mutating func moveOn() -> Bool {
        guard index + 1 < candidates.count else { return false }
        index += 1
        address = nil
        return true
    }
}
