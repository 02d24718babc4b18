extension [Fault] {
    /// The place of an outage by faults, the nearest to this host first; nil: none of them is about it, or its place is unknown.
    package func place(of outage: FaultEvidence.OngoingOutage) -> FaultLocation? {
        first { $0.isPlace(of: outage) }?.location
    }
}

extension Fault {
    /// Two clocks give the begin of an outage, one read after the other.
    private static let accuracy = Duration.seconds(1)

    fileprivate func isPlace(of outage: FaultEvidence.OngoingOutage) -> Bool {
        // One that is older may be held back from before.
        guard kind == .outage, since >= outage.since - Self.accuracy else { return false }
        return switch location {
        // A target or a name server of several may be down at the same time.
        case .destination, .unknown: false
        case .dns: outage.cause == .dnsBroken
        default: true
        }
    }
}
