import Posix

/// Which news start a round at once: a pure value.
///
/// A source whose news was false waits before it is believed again, twice as long each time.
struct RoundTriggers: Sendable {
    typealias Instant = SuspendingClock.Instant

    /// What reports that something failed or answers again.
    enum Source: Sendable, Hashable {
        /// A target, the router included, by its name.
        case target(String)
        /// The TCP connections of other programs.
        case traffic(AddressFamily)
        /// The packet that is sent while offline.
        case beacon(AddressFamily)
        /// A name server that is asked while offline.
        case nameServer
        /// The kernel's entry for the router.
        case neighbour
        /// Links and routes.
        case kernel
    }

    private struct Doubt {
        var falseNews = 0
        var until: Instant
    }

    /// Whether a source was alive when it was last heard of; nil: unknown.
    private var states: [Source: Bool] = [:]
    private var doubts: [Source: Doubt] = [:]
    /// Whose news started the current round.
    private var believed: Set<Source> = []
    /// Those of them whose news came before the current round was started anew.
    private var judged: Set<Source> = []
    /// How many rounds in succession news have ended before their time.
    private var restarts = 0

    /// After so many the next one goes on to its end: links of containers that come and go would put it off for ever.
    static let mostRestarts = 4
    /// After the first false news of a source.
    static let firstPause = Duration.seconds(2)
    static let longestPause = Duration.seconds(120)
    /// Reloads can bring any number of targets.
    private static let maxDoubts = 1024

    /// Forgets what was alive: an outage began.
    mutating func reset() { (states, restarts) = ([:], 0) }

    /// Whether news may end a round before its time, and start it anew.
    ///
    /// Where it may not, the round does not judge a source that had no earlier news, as it began before: what still answers
    /// after it is news again.
    mutating func mayRestart(by source: Source) -> Bool {
        guard restarts < Self.mostRestarts else {
            guard !judged.contains(source) else { return false }
            believed.remove(source)
            states[source] = nil
            return false
        }
        restarts += 1
        judged = believed
        return true
    }

    /// Whether a source is alive that was silent, or unknown, before.
    ///
    /// One that is in doubt stays unknown until it is believed again.
    mutating func revived(_ source: Source, isAlive: Bool, at now: Instant) -> Bool {
        guard isAlive else {
            states[source] = false
            return false
        }
        guard states[source] != true, admits(source, at: now) else { return false }
        states[source] = true
        believe(source)
        return true
    }

    /// Whether news of a source may start a round.
    func admits(_ source: Source, at now: Instant) -> Bool { doubts[source].map { $0.until <= now } ?? true }

    /// Whether its last news was false.
    func isDoubted(_ source: Source) -> Bool { doubts[source] != nil }

    /// Its news starts a round.
    mutating func believe(_ source: Source) { believed.insert(source) }

    /// The round that was started has ended.
    ///
    /// - Parameters:
    ///   - isNews: whether it found something else than before.
    ///   - now: the time.
    mutating func roundEnded(isNews: Bool, at now: Instant) {
        restarts = 0
        for source in believed {
            guard !isNews else {
                doubts[source] = nil
                continue
            }
            if doubts.count >= Self.maxDoubts { doubts = [:] }
            var doubt = doubts[source] ?? Doubt(until: now)
            let pause = Self.firstPause * (1 << min(doubt.falseNews, 6))
            doubt.falseNews += 1
            doubt.until = now.advanced(by: min(pause, Self.longestPause))
            doubts[source] = doubt
            // What still answers then is news again.
            states[source] = nil
        }
        (believed, judged) = ([], [])
    }
}
