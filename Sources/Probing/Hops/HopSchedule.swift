import Posix

/// When the hops of each family are probed: a pure value.
///
/// Times are relative to an origin of the caller. All hops of a family are probed in one round, at most once in
/// ``shortestInterval``. The first rounds on a path and some each hour look for hops at all distances; the others go to those
/// that have answered.
struct HopSchedule: Sendable {
    /// One probe that is due.
    struct Turn: Sendable, Hashable {
        var family: AddressFamily
        var distance: Int
    }

    private struct Track: Sendable {
        var due = Duration.zero
        /// How many rounds of the search for hops are left.
        var searchRounds = HopSchedule.searchRounds
        /// When the last search began.
        var searchedAt: Duration?
        /// When an hour with close looks began, and how many rounds of them it has.
        var closeHour: Duration?
        var closeRounds = 0
    }

    /// A router of Linux answers one probe a second to each host (`icmp_ratelimit`); at 1.05 s it answers each.
    static let shortestInterval = Duration.milliseconds(1050)
    /// A single answer may be lost.
    ///
    /// In calm times each pause of a search is twice as long as the one before it: another device may use up what a router answers
    /// in some seconds, or a burst that it allows may hide that.
    static let searchRounds = 5
    /// Of the search of each hour: how often the hops answer is known by then, and an hour of calm has 20 kB for both families.
    static let laterSearchRounds = 3
    static let searchInterval = Duration.seconds(3600)
    /// So many hops are probed in a round that does not search.
    static let mostHops = 4
    /// For how long loss and high latency are looked into at the shortest interval.
    ///
    /// 420 probes show a loss of 5 %. Then one hop is probed at an interval that shows whether they go on. IPv6's packets are
    /// larger, and an hour has 400 kB for each family.
    static let closeSpan: [AddressFamily: Duration] = [.ipv4: .seconds(600), .ipv6: .seconds(460)]
    /// All of them in an hour: trouble that comes and goes costs no more than one that stays.
    static func mostCloseRounds(_ family: AddressFamily) -> Int {
        Int(closeSpan[family, default: .zero] / shortestInterval) + 1
    }
    static let laterInterval = Duration.seconds(16)

    private(set) var configuration: HopConfiguration
    private var mode = HopMode.calm
    private var modeSince = Duration.zero
    private var tracks: [AddressFamily: Track] = [:]
    /// When each family was last probed, also over another path: the router may be the same.
    private var last: [AddressFamily: Duration] = [:]
    private var isAllowed = false

    init(_ configuration: HopConfiguration) { self.configuration = configuration }

    /// When the next round is due; nil: not before a change.
    var next: Duration? { isAllowed ? tracks.values.map(\.due).min() : nil }

    /// Takes another configuration: the hops are looked for anew.
    mutating func apply(_ configuration: HopConfiguration, over path: InternetPath?, at now: Duration) {
        self.configuration = configuration
        if let path { change(path, isNewUplink: true, at: now) }
    }

    /// Takes another path.
    ///
    /// - Parameters:
    ///   - path: those of its families with a destination are probed.
    ///   - isNewUplink: whether other routers may be on the way now.
    ///   - now: the time.
    mutating func change(_ path: InternetPath, isNewUplink: Bool, at now: Duration) {
        isAllowed = path.allowsProbes(
            onExpensive: configuration.runsOnExpensive,
            onConstrained: configuration.runsOnConstrained
        )
        let families = path.families.filter { configuration.destinations[$0] != nil }
        tracks = tracks.filter { families.contains($0.key) }
        for family in families {
            guard isNewUplink || tracks[family] == nil else { continue }
            tracks[family] = Track()
            schedule(family, at: now)
        }
    }

    mutating func change(_ mode: HopMode, at now: Duration) {
        guard mode != self.mode else { return }
        let wasOffline = self.mode == .offline
        (self.mode, modeSince) = (mode, now)
        for (family, track) in tracks {
            // Hops that were dead may answer now, and one that leaves out probes may have left out all of the last search.
            let searches = wasOffline || mode.isDegraded && looksClosely(track, family, at: now)
            schedule(family, searches: searches, at: now)
        }
    }

    /// Searches now, unless a search is under way.
    mutating func lookAgain(_ family: AddressFamily, at now: Duration) {
        if tracks[family]?.searchRounds == 0 { schedule(family, searches: true, at: now) }
    }

    /// Decides when the next round of a family is due, which may be the first one of a search.
    private mutating func schedule(_ family: AddressFamily, searches: Bool = false, at now: Duration) {
        guard var track = tracks[family] else { return }
        if searches { track.searchRounds = Self.searchRounds }
        track.due = dueTime(of: track, family, at: now)
        tracks[family] = track
    }

    /// Takes the rounds that are due.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - reports: what is known about the hops.
    /// - Returns: the probes to send; none where nothing is due.
    mutating func due(at now: Duration, knowing reports: [AddressFamily: HopReport]) -> [Turn] {
        guard isAllowed else { return [] }
        return AddressFamily.allCases.flatMap { family in
            guard var track = tracks[family], track.due <= now else { return [Turn]() }
            if track.searchRounds == 0, track.searchedAt.map({ now >= $0 + Self.searchInterval }) ?? true {
                track.searchRounds = Self.laterSearchRounds
                track.searchedAt = now
            }
            let isSearch = track.searchRounds > 0
            if isSearch {
                if track.searchRounds == Self.searchRounds { track.searchedAt = now }
                track.searchRounds -= 1
            }
            let distances = isSearch ? Array(1...farthest) : chosen(from: reports[family], track, family, at: now)
            if mode.isDegraded, looksClosely(track, family, at: now) {
                if now >= (track.closeHour ?? now) + .seconds(3600) { (track.closeHour, track.closeRounds) = (now, 0) }
                track.closeHour = track.closeHour ?? now
                track.closeRounds += 1
            }
            last[family] = now
            track.due = dueTime(of: track, family, at: now)
            // The rounds of a search take the place of one: an hour has 20 kB.
            if isSearch, track.searchRounds == 0, mode == .calm { track.due += configuration.interval }
            tracks[family] = track
            return distances.map { Turn(family: family, distance: $0) }
        }
    }

    private var farthest: Int {
        min(max(configuration.maxHops, HopConfiguration.distances.lowerBound), HopConfiguration.distances.upperBound)
    }

    private func dueTime(of track: Track, _ family: AddressFamily, at now: Duration) -> Duration {
        guard let last = last[family] else { return now }
        let interval = interval(of: family, track, at: now)
        let pause = track.searchRounds > 0 ? min(interval, searchPause(before: track.searchRounds)) : interval
        return max(now, last + max(pause, Self.shortestInterval))
    }

    /// Before so many rounds of a search: 1.05, 2.1, 4.2 and 8.4 s.
    private func searchPause(before left: Int) -> Duration {
        Self.shortestInterval * (1 << max(0, Self.searchRounds - 1 - left))
    }

    private func interval(of family: AddressFamily, _ track: Track, at now: Duration) -> Duration {
        switch mode {
        case .calm: return configuration.interval
        case .speedTest: return Self.shortestInterval
        case .offline: return now - modeSince < .seconds(60) ? Self.shortestInterval : .seconds(30)
        case .degraded(let degraded):
            // One family is enough to place the fault, and two would cost twice as much.
            let probed = [degraded, .ipv4, .ipv6].compactMap(\.self).first { tracks[$0] != nil }
            guard family == probed else { return configuration.interval }
            return looksClosely(track, family, at: now) ? Self.shortestInterval : Self.laterInterval
        }
    }

    private func looksClosely(_ track: Track, _ family: AddressFamily, at now: Duration) -> Bool {
        let isNewHour = track.closeHour.map { now >= $0 + .seconds(3600) } ?? true
        return now - modeSince < Self.closeSpan[family, default: .zero]
            && (isNewHour || track.closeRounds < Self.mostCloseRounds(family))
    }

    private func mostHops(_ track: Track, _ family: AddressFamily, at now: Duration) -> Int {
        !mode.isDegraded || looksClosely(track, family, at: now) ? Self.mostHops : 1
    }

    /// The distances to probe: those that have answered, offline all; of too many the first one, and those that are nearest to
    /// the provider's first router.
    private func chosen(from report: HopReport?, _ track: Track, _ family: AddressFamily, at now: Duration) -> [Int] {
        let answering = report?.hops.filter { !$0.addresses.isEmpty }.map(\.distance) ?? []
        let possible = (mode == .offline ? Array(1...farthest) : answering).filter { $0 <= report?.end ?? farthest }
        let middle = configuration.firstProviderHop ?? 2
        let nearest = possible.sorted { one, other in
            func rank(_ distance: Int) -> (Int, Int) { distance == 1 ? (-1, 0) : (abs(distance - middle), distance) }
            return rank(one) < rank(other)
        }
        return nearest.prefix(mostHops(track, family, at: now)).sorted()
    }
}
