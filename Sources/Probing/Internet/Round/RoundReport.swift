import Posix

/// What a round has found so far.
enum RoundReport: Sendable, Equatable {
    /// All there is to one family.
    case family(AddressFamily, FamilyEvidence)
    /// What the portal's own interface says; nil: it did not answer.
    case portal(isCaptive: Bool?)
}
