package import Statistics

/// Single measurements of the network's latency.
package enum LatencySamples: Sendable, Equatable {
    /// By target or family, the oldest first, nil for a failed probe; `packets`: those of which that is a packet that the
    /// network has lost.
    case probes([String: [Duration?]], packets: Set<String> = [])
    /// The median over live TCP flows at one time.
    case flows(median: Duration)
}

/// Takes from the sources the measurements since the last reading, of those that count for `NetworkLatency`.
package struct LatencyReader: Sendable {
    /// How many outcomes of each window were read, also of those that do not count.
    private var read: [String: UInt64] = [:]
    private var readFlows: UInt64 = 0

    package init() {}

    /// The new measurements, of each window at most its capacity.
    ///
    /// - Parameters:
    ///   - sources: all of them.
    ///   - now: until when; what was probed later comes with the next reading.
    /// - Returns: nil if nothing counts or no flow had an answer.
    package mutating func samples(of sources: LatencySources, at now: OutcomeWindow.Instant) -> LatencySamples? {
        let windows = sources.probed
        let new = windows.map { name, window in
            // Fewer pushes than before: the window was restarted, as after a change of the uplink.
            let known = read[name].flatMap { $0 <= window.pushes ? $0 : nil } ?? 0
            return (name, window.added(after: known, until: now))
        }
        read = Dictionary(uniqueKeysWithValues: new.map { ($0, $1.pushes) })
        let flows = sources.passive.medians
        let hasNewFlows = flows.pushes != readFlows
        readFlows = flows.pushes

        switch sources.counting(at: now) {
        case (.flows, _)?: return hasNewFlows ? flows.newest(1).median.map { .flows(median: $0) } : nil
        case (let kind, let parts)?:
            let counting = new.filter { parts[$0.0] != nil }.map { ($0, $1.outcomes) }
            let packets = kind == .roundTrips ? sources.losing(parts.keys) : []
            return .probes(Dictionary(uniqueKeysWithValues: counting), packets: packets)
        case nil: return nil
        }
    }
}
