/// The moments of a transfer: microseconds since its start, 0 for what did not happen.
struct TransferTimes: Equatable {
    var nameLookup: Int64 = 0
    var connect: Int64 = 0
    var tls: Int64 = 0
    var firstByte: Int64 = 0
    var total: Int64 = 0
    /// No connection was made for it.
    var isReused = false
    var usesTLS = false
    /// The host was an address.
    var needsNoLookup = false

    /// The phases up to the end, the last of which takes what is left of the duration.
    var phases: TransferPhases {
        var phases = TransferPhases()
        var reached: Int64 = 0
        for (phase, moment) in milestones {
            guard let moment else {
                phases[phase] = .microseconds(total - reached)
                return phases
            }
            let end = max(reached, min(moment, total))
            phases[phase] = .microseconds(end - reached)
            reached = end
        }
        phases.transfer = .microseconds(total - reached)
        return phases
    }

    /// Where the transfer was when it ended.
    var lastPhase: TransferError.Phase {
        milestones.first { $0.end == nil }?.phase ?? .transfer
    }

    /// When each phase ended; nil for one that did not.
    private var milestones: [(phase: TransferError.Phase, end: Int64?)] {
        func moment(_ value: Int64) -> Int64? { value > 0 ? value : nil }
        var milestones: [(phase: TransferError.Phase, end: Int64?)] = []
        if !isReused {
            milestones.append((.resolve, needsNoLookup ? 0 : moment(nameLookup)))
            milestones.append((.connect, moment(connect)))
            if usesTLS { milestones.append((.tls, moment(tls))) }
        }
        milestones.append((.processing, moment(firstByte)))
        return milestones
    }
}

extension TransferPhases {
    fileprivate subscript(phase: TransferError.Phase) -> Duration? {
        get {
            switch phase {
            case .resolve: resolve
            case .connect: connect
            case .tls: tls
            case .processing: processing
            case .transfer: transfer
            }
        }
        set {
            switch phase {
            case .resolve: resolve = newValue
            case .connect: connect = newValue
            case .tls: tls = newValue
            case .processing: processing = newValue
            case .transfer: transfer = newValue
            }
        }
    }
}
