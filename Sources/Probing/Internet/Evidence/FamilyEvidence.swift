/// What one round found for one family.
struct FamilyEvidence: Sendable, Equatable {
    /// The HTTP requests whose answer is known beforehand.
    var checks: [ProbeOutcome] = []
    /// Success: any answer behind a valid certificate.
    var https: [ProbeOutcome] = []
    /// TCP connections to literal addresses.
    var literals: [ProbeOutcome] = []
    /// The routers of this family; empty where none was asked, or there is none.
    var gateways: [ProbeOutcome] = []
    /// Somebody could not be asked for a limit of this machine: what the others say may not be all.
    var isIncomplete = false
    /// This host's clock is days off, so that no certificate seems valid.
    var isClockWrong = false

    /// What went through names, as programs do.
    var named: [ProbeOutcome] { checks + https }

    /// Whether no name could be resolved.
    var isUnresolved: Bool { !named.isEmpty && named.allSatisfy(\.isUnresolved) }

    /// Whether some name could be resolved.
    var isResolved: Bool { named.contains { !$0.isUnresolved } }

    /// Whether every attempt ended at a kernel that knows no way.
    var isUnreachable: Bool {
        let attempts = named.filter { !$0.isUnresolved } + literals
        return !attempts.isEmpty && attempts.allSatisfy { $0.failure == .unreachable }
    }
}
