package import FoundationEssentials
package import Posix
package import Statistics

/// A target and its statistics.
package struct TargetReport: Sendable, Equatable {
    package let target: Target
    package var statistics: TargetStatistics
    /// How it is probed on the current path.
    package var decision = CostDecision.run

    package init(_ target: Target) {
        self.target = target
        statistics = TargetStatistics(measuresRoundTrip: target.measuresRoundTrip)
    }
}

/// The statistics of one target since it was configured.
package struct TargetStatistics: Sendable, Equatable {
    /// In seconds, of round trips.
    package static let roundTripBounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5,
    ]
    /// In seconds, of whole exchanges.
    package static let durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    /// After this many consecutive probes that failed at a limit of this machine, the state of the target is unknown.
    private static let localFailuresBelieved = 3

    /// Those that ended; cancelled ones are not counted.
    package private(set) var probes: UInt64 = 0
    package private(set) var failures: [ProbeFailure: UInt64] = [:]
    package private(set) var skipped: [CostDecision.SkipReason: UInt64] = [:]
    /// Replies to probes that had timed out and stay lost.
    package private(set) var lateReplies: UInt64 = 0
    /// Of successful probes: round trips or durations, see `Probe.measuresRoundTrip`; without those of an unknown round
    /// trip.
    package private(set) var latencies: DurationHistogram
    /// The last probes on this uplink outside of outages; each failed one is a loss, except local failures, and so is one
    /// whose packet was lost and sent again.
    package private(set) var window = OutcomeWindow()
    /// When its name was last not resolved; nil: never.
    package private(set) var unresolvedAt: OutcomeWindow.Instant?
    /// The address that answered the last successful probe.
    package private(set) var answeredFrom: IPAddress?
    /// Of the ended probe that started last, local failures left out; nil before the first.
    package private(set) var lastResult: ProbeResult?
    package private(set) var lastProbedAt: Date?
    /// When `isUp` became what it is; nil where that is not known.
    package private(set) var since: Date?

    /// Why the last probe says nothing; nil: it does, or there was none.
    package private(set) var inconclusive: Inconclusive?
    /// Whether a probe has succeeded since the path came up; for the watched router.
    private(set) var hasAnswered = false
    /// Whether the router that did not answer the last probe answers the kernel, and when it did last: also where the probe is
    /// inconclusive because of that; see `ProbeResult`.
    package private(set) var isNeighbour: Bool?
    package private(set) var confirmedAt: ContinuousClock.Instant?
    /// How many of the last probes failed in a row, also in an outage; not of those that are inconclusive or failed locally.
    package private(set) var failuresInARow = 0

    private var localFailuresInARow = 0
    private let measuresRoundTrip: Bool

    package init(measuresRoundTrip: Bool) {
        self.measuresRoundTrip = measuresRoundTrip
        latencies = DurationHistogram(bounds: measuresRoundTrip ? Self.roundTripBounds : Self.durationBounds)
    }

    /// Whether the last probe succeeded; nil before the first, after three consecutive local failures, and after an
    /// inconclusive one.
    package var isUp: Bool? { localFailuresInARow < Self.localFailuresBelieved ? lastResult?.isSuccess : nil }

    /// The last 100 probes on this uplink.
    package var lastProbes: Outcomes { window.newest(100) }

    /// Counts a probe that ended.
    ///
    /// - Parameters:
    ///   - result: its result.
    ///   - now: when it ended.
    ///   - showsNetwork: false for a probe that started before the uplink changed, and for one in an outage: it is not in the
    ///     window.
    package mutating func count(_ result: ProbeResult, at now: OutcomeWindow.Instant, showsNetwork: Bool = true) {
        guard result.inconclusive == nil else { return }
        probes += 1
        if result.failure == .local {
            failures[.local, default: 0] += 1
            return
        }
        let latency: Duration?
        if let failure = result.failure {
            failures[failure, default: 0] += 1
            if failure == .resolve { unresolvedAt = now }
            latency = nil
        } else {
            let isLost = hasLostPacket(result)
            // Where an answer was lost, the duration has the wait for another one.
            let measured = measuresRoundTrip ? result.rtt ?? (isLost ? nil : result.duration) : result.duration
            if let measured { latencies.observe(measured) }
            latency = isLost ? nil : measured
            answeredFrom = result.address
        }
        if showsNetwork { window.push(latency, at: now) }
    }

    /// Whether a SYN that was sent again was lost, or its answer.
    ///
    /// The kernel sends it again after 1 s. Without a round trip of the repeated SYN the answer was lost, or came later
    /// than that: the latter where no recent probe was answered in less.
    private func hasLostPacket(_ result: ProbeResult) -> Bool {
        guard result.isRepeated else { return false }
        return result.rtt != nil || window.newest(10).list.contains { $0.map { $0 < .seconds(1) } ?? false }
    }

    /// A change of `isUp`.
    package enum Change: Sendable, Equatable {
        /// The first result, or another one than the last that was known.
        case upOrDown
        /// The state is unknown from now on, or known again and as it was.
        case known
        /// The probes say nothing about the target any more.
        case inconclusive(Inconclusive)
    }

    /// Makes this the state of the target; returns how `isUp` changed; nil: it did not.
    ///
    /// A local failure keeps the previous state, until that is unknown.
    package mutating func show(_ result: ProbeResult, at date: Date) -> Change? {
        if result.failure != .local { (isNeighbour, confirmedAt) = (result.isNeighbour, result.confirmedAt) }
        if let reason = result.inconclusive {
            defer { inconclusive = reason }
            forget()
            return inconclusive == reason ? nil : .inconclusive(reason)
        }
        inconclusive = nil
        hasAnswered = hasAnswered || result.isSuccess
        let (state, known) = (isUp, lastResult?.isSuccess)
        if result.failure == .local {
            localFailuresInARow += 1
        } else {
            (lastResult, lastProbedAt, localFailuresInARow) = (result, date, 0)
            failuresInARow = result.failure == nil ? 0 : failuresInARow + 1
        }
        guard isUp != state else { return nil }
        since = date
        return lastResult?.isSuccess == known ? .known : .upOrDown
    }

    package mutating func skip(_ reason: CostDecision.SkipReason) { skipped[reason, default: 0] += 1 }

    package mutating func countLateReply() { lateReplies += 1 }

    /// Forgets all but the counters: another router is watched, or the path came up again.
    mutating func restartWatch() {
        forget()
        if inconclusive == .silent { inconclusive = nil }
        restartWindow()
    }

    private mutating func forget() {
        (lastResult, lastProbedAt, since, localFailuresInARow, failuresInARow) = (nil, nil, nil, 0, 0)
    }

    /// Leaves out of the window what was measured in an outage.
    mutating func leaveOut(_ outage: OutagePeriod, at now: OutcomeWindow.Instant, awake: SuspendingClock.Instant) {
        outage.leaveOut(of: &window, at: now, awake: awake)
    }

    /// Forgets the window, and what is known of the router: measurements on another uplink are not valid for this one, where
    /// another router may have the same address.
    package mutating func restartWindow() {
        window = OutcomeWindow()
        (hasAnswered, isNeighbour, confirmedAt, failuresInARow) = (false, nil, nil, 0)
    }
}
