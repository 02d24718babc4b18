package import Statistics

/// Single measurements of the network's latency.
package enum LatencySamples: Sendable, Equatable {
    /// By target or family, the oldest first, nil for a failed probe; `packets`: those of which that is a packet that the
    /// network has lost; `restarted`: those whose window has begun anew since the last reading, as on another uplink.
    case probes([String: [Duration?]], packets: Set<String> = [], restarted: Set<String> = [])
    /// The median over live TCP flows at one time.
    case flows(median: Duration)
}

/// Takes from the sources the measurements since the last reading, of those that count for `NetworkLatency`.
package struct LatencyReader: Sendable {
    /// Reads each window, also those that do not count.
    private var reader = WindowReader()
    private var readFlows: WindowReader.Position = (0, nil)

    package init() {}

    /// The new measurements, of each window at most its capacity.
    ///
    /// - Parameters:
    ///   - sources: all of them.
    ///   - now: until when; what was probed later comes with the next reading.
    /// - Returns: nil if nothing counts or no flow had an answer.
    package mutating func samples(of sources: LatencySources, at now: OutcomeWindow.Instant) -> LatencySamples? {
        let new = reader.added(to: sources.probed.map { ($0.key, $0.value) }, until: now)
        let flows = sources.passive.medians
        let hasNewFlows = readFlows != (flows.pushes, flows.origin)
        readFlows = (flows.pushes, flows.origin)

        switch sources.counting(at: now) {
        case (.flows, _)?: return hasNewFlows ? flows.newest(1).median.map { .flows(median: $0) } : nil
        case (let kind, let parts)?:
            let counting = new.filter { parts[$0.0] != nil }
            let packets = kind == .roundTrips ? sources.losing(parts.keys) : []
            let restarted = reader.restarted.filter { parts[$0] != nil }
            return .probes(Dictionary(uniqueKeysWithValues: counting), packets: packets, restarted: restarted)
        case nil: return nil
        }
    }
}

/// Takes from windows what was added since the last reading.
package struct WindowReader: Sendable {
    /// How many outcomes of a window were read, and when its first one was added.
    fileprivate typealias Position = (pushes: UInt64, origin: OutcomeWindow.Instant?)

    /// Of each window.
    private var read: [String: Position] = [:]
    /// The windows that had begun anew at the last reading.
    package private(set) var restarted: Set<String> = []

    package init() {}

    /// The new outcomes, of each window at most its capacity, the oldest first.
    ///
    /// - Parameters:
    ///   - windows: by their names; of two with one name the first counts.
    ///   - end: what was added later comes with the next reading.
    /// - Returns: of each window, also where there is none.
    package mutating func added(
        to windows: [(String, OutcomeWindow)],
        until end: OutcomeWindow.Instant
    ) -> [(String, [Duration?])] {
        var now: [String: Position] = [:]
        var new: [(String, [Duration?])] = []
        restarted = []
        for (name, window) in windows where now[name] == nil {
            let last = read[name] ?? (0, nil)
            // Another window, as after a change of the uplink.
            let isOther = last.origin != nil && last.origin != window.origin
            if isOther { restarted.insert(name) }
            let added = window.added(after: isOther ? 0 : last.pushes, until: end)
            now[name] = (added.pushes, window.origin)
            new.append((name, added.outcomes))
        }
        read = now
        return new
    }
}
