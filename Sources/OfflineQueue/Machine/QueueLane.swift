/// The requests that are sent one after the other: those of one ordering key, or without one those to one host.
///
/// With an ordering key each request waits for those before it. Without one a request that waits, for its next try or for a
/// requirement, lets the others pass. Such a lane then pauses after each failed try, longer as long as no server accepts or
/// refuses one: a host that is down gets few tries, however many requests wait for it.
struct QueueLane: Sendable {
    /// Which lane a request is in.
    struct Key: Hashable, Sendable {
        /// The ordering key, or the host.
        let name: String
        /// Whether it is an ordering key.
        let keepsOrder: Bool
    }

    /// A request that waits to be sent.
    private struct Turn {
        /// Until then it lets others pass; the same for all where the order is kept.
        let due: Duration
        let sequence: Int64

        static func < (left: Turn, right: Turn) -> Bool {
            (left.due, left.sequence) < (right.due, right.sequence)
        }
    }

    /// Shorter than that of a request, since another one is tried after it.
    static let longestPause: Duration = .seconds(60)

    private let keepsOrder: Bool
    /// By requirement, where the order is not kept: only the first of each has to be looked at.
    private var lines: [String?: [Turn]] = [:]
    /// Whether one of its requests is being sent.
    var isSending = false
    /// Nothing is sent before.
    private(set) var resumes: Duration = .zero
    /// Failed tries since the last one that a server accepted or refused.
    private var failures = 0
    /// The last try brought no answer.
    private var waitsForNetwork = false

    init(_ key: Key) { keepsOrder = key.keepsOrder }

    var isEmpty: Bool { lines.isEmpty && !isSending }

    /// The requests of which one is next.
    var heads: some Sequence<Int64> { lines.values.lazy.compactMap { $0.first?.sequence } }

    // MARK: - Waiting

    mutating func insert(_ entry: QueueEntry) {
        let turn = turn(of: entry)
        let line = line(of: entry)
        // Most are the last of their line.
        let isLast = lines[line]?.last.map { $0 < turn } ?? true
        let index = isLast ? lines[line]?.count ?? 0 : self.index(of: turn, in: line)
        lines[line, default: []].insert(turn, at: index)
    }

    /// Takes a request out, whose times are those of its insertion.
    mutating func remove(_ entry: QueueEntry) {
        let line = line(of: entry)
        let index = index(of: turn(of: entry), in: line)
        guard let count = lines[line]?.count, index < count, lines[line]?[index].sequence == entry.sequence else {
            return
        }
        if count == 1 { lines[line] = nil } else { lines[line]?.remove(at: index) }
    }

    /// Orders its requests by other times.
    mutating func reorder(by due: (_ sequence: Int64) -> Duration) {
        guard !keepsOrder else { return }
        lines = lines.mapValues { turns in
            turns.map { Turn(due: due($0.sequence), sequence: $0.sequence) }.sorted(by: <)
        }
    }

    // MARK: - Pausing

    /// A try has failed.
    ///
    /// The lane waits as long as the server asks, but not for hours: it may have meant this request only.
    mutating func fail(_ failure: TryFailure, retryAfter: Duration?, now: Duration, jitter: Double) {
        guard !keepsOrder else { return }
        let pause = min(Backoff.bound(after: failures), Self.longestPause) * jitter
        resumes = now + max(pause, min(retryAfter ?? .zero, Backoff.longest))
        failures += 1
        waitsForNetwork = failure != .status
    }

    /// The network is back: a pause that began without an answer ends.
    mutating func networkReturned() { if waitsForNetwork { resume() } }

    /// Ends the pause, and makes the next one as short as the first.
    mutating func resume() { (resumes, failures, waitsForNetwork) = (.zero, 0, false) }

    // MARK: - Searching

    private func turn(of entry: QueueEntry) -> Turn {
        Turn(due: keepsOrder ? .zero : entry.due, sequence: entry.sequence)
    }

    private func line(of entry: QueueEntry) -> String? { keepsOrder ? nil : entry.requirement }

    /// The place of a turn in its line, by halving.
    private func index(of turn: Turn, in line: String?) -> Int {
        let turns = lines[line] ?? []
        var (low, high) = (0, turns.count)
        while low < high {
            let middle = (low + high) / 2
            if turns[middle] < turn { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
