package import Statistics

/// Something that is wrong with the network, where, and how that is known.
package struct Fault: Sendable, Equatable {
    /// A place and what is wrong there: what is entered and left, and the labels of its metrics.
    package struct Pair: Sendable, Hashable, Comparable {
        package var location: FaultLocation
        package var kind: FaultKind

        package init(_ location: FaultLocation, _ kind: FaultKind) { (self.location, self.kind) = (location, kind) }

        /// All that have a meaning, the nearest to this host first.
        package static let all = FaultLocation.allCases.flatMap { location in
            location.kinds.map { Pair(location, $0) }
        }

        package static func < (left: Pair, right: Pair) -> Bool { left.rank < right.rank }

        private static let ranks = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1, $0) })
        /// A pair without a meaning is the last.
        private var rank: Int { Self.ranks[self] ?? Self.all.count }
    }

    package var pair: Pair
    /// When its first evidence arrived.
    package var since: OutcomeWindow.Instant
    /// The evidence; never empty.
    package var observations: [FaultObservation]

    package var location: FaultLocation { pair.location }
    package var kind: FaultKind { pair.kind }

    package init(
        _ location: FaultLocation,
        _ kind: FaultKind,
        since: OutcomeWindow.Instant,
        _ observations: [FaultObservation]
    ) {
        (pair, self.since, self.observations) = (Pair(location, kind), since, observations)
    }
}

/// One value that a fault follows from.
package struct FaultObservation: Sendable, Equatable {
    /// What was observed; the raw values are the words of `what` in JSON.
    package enum What: String, Sendable, CaseIterable {
        /// The reason why the path or the internet is not usable.
        case state
        /// An ICMP error; the value is its distance.
        case refusal
        /// Answers; the value is their number.
        case answers
        /// Probes without an answer; the value is their number, the threshold how many prove it.
        case silence
        /// The share of lost packets, and that of the point before it as the threshold.
        case loss
        /// Seconds above the best round trip.
        case delay
        /// A share of a link's, line's or processor's capacity, or of the time.
        case share
        /// A number of changes or errors.
        case count
        /// Bits per second.
        case rate
        /// dBm.
        case signal
        /// Bytes.
        case size
        /// What is not known, so that the place is not.
        case missing
    }

    package var what: What
    package var value: Double?
    package var threshold: Double?
    package var at: OutcomeWindow.Instant
    /// The observation as a plain sentence, with its full stop.
    package var says: String

    package init(
        _ what: What,
        value: Double? = nil,
        threshold: Double? = nil,
        at: OutcomeWindow.Instant,
        says: String
    ) {
        (self.what, self.value, self.threshold, self.at, self.says) = (what, value, threshold, at, says)
    }
}
