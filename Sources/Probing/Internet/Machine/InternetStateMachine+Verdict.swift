import Posix

/// The verdict that follows from the findings of the families: the family with the best state decides.
extension InternetStateMachine {
    var best: InternetFinding {
        trackers.values.compactMap(\.finding).max { $0.reach < $1.reach } ?? InternetFinding(state: .unknown)
    }

    var suspects: Set<AddressFamily> { Set(trackers.filter { $0.value.suspicion != nil }.keys) }

    var situation: RoundSchedule.Situation {
        best.isOnline ? .healthy : best.state == .captivePortal ? .captivePortal : .offline
    }

    /// Whether the internet is known not to be reachable over a path that carries packets.
    var isOffline: Bool {
        guard let path, path.carries, let published else { return false }
        return !best.isOnline && best.state != .unknown && !published.isOnline && published.state != .unknown
    }

    /// The current verdict; nil while evidence is missing.
    func verdict(at now: Instant) -> InternetVerdict? {
        guard let path else { return nil }
        guard path.carries else {
            let since = published.flatMap { $0.state == .noPath ? $0.evidenceAt : nil } ?? now
            return InternetVerdict(state: .noPath, evidenceAt: since, generation: path.generation)
        }
        let best = best
        // One family that is online is enough; for offline, all must have a finding.
        guard best.isOnline || trackers.values.allSatisfy({ $0.finding != nil }) else {
            guard trackers.values.contains(where: { $0.hinderedRounds > 0 }) else { return nil }
            let holds = published?.state == .unknown || !trackers.values.contains(where: \.isStale)
            return .hindered(after: holds ? published : nil, on: path, at: now)
        }
        let degradedSince = best.isOnline ? degradation.degradedSince : nil
        // There is a path, so that no reachable host means: nothing beyond this network answers.
        let isBlind = best.state == .noPath
        let isLossy = degradedSince != nil && best.state != .tlsUntrusted
        let state = isLossy ? .degraded : isBlind ? .noInternet : best.state
        return InternetVerdict(
            state: state,
            families: trackers.mapValues { $0.finding?.state ?? .unknown },
            cause: isBlind ? .upstream : best.cause,
            degradedReasons: state == .degraded ? degradation.reasons.union(trackers.degraded(like: best)) : [],
            evidenceAt: evidence(for: state, best, in: path) ?? degradedSince ?? now,
            pathMTU: mtu.known,
            isSuspect: best.isOnline && trackers.values.allSatisfy { !$0.isOnline || $0.suspicion != nil },
            isHindered: trackers.values.allSatisfy { $0.isOnline != best.isOnline || $0.hinderedRounds > 0 },
            isRecovering: !best.isOnline && trackers.values.contains { $0.aliveSince != nil },
            generation: path.generation
        )
    }

    /// An unchanged verdict keeps its evidence.
    ///
    /// Else the internet is online since the first family was, and offline since the last one went.
    private func evidence(
        for state: InternetState,
        _ best: InternetFinding,
        in path: InternetPath
    ) -> Instant? {
        if let published, published.state == state, published.isOnline == best.isOnline,
            published.generation == path.generation
        {
            return published.evidenceAt
        }
        guard best.isOnline else {
            // A family that was offline before, and is so in another way now, does not defer the begin.
            let wasOffline = published.map { !$0.isOnline && $0.state.isConclusive } ?? false
            return trackers.values.compactMap { wasOffline ? $0.evidenceAt : $0.downSince }.max()
        }
        // Else packets are lost.
        guard state == best.state else { return nil }
        return trackers.values.filter { $0.finding?.state == state }.compactMap(\.evidenceAt).min()
    }
}
