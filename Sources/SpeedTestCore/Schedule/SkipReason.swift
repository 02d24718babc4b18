/// Why a test that was due, or asked for, does not run.
package enum SkipReason: String, Sendable, CaseIterable {
    case offline, expensive, constrained, budget
    /// What it would use cannot be written down first.
    case storage
    /// Asked only after the window had closed: the machine slept, or was offline.
    case window
    case busy, running
    /// Too soon after the run before.
    case gap
}
