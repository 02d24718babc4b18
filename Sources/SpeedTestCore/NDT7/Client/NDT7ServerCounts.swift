import Statistics

/// What the server says that it has received of an upload: the count that a sender should believe, within reason.
struct NDT7ServerCounts {
    private struct Entry {
        var arrival: Duration
        /// By the server's clock.
        var elapsed: Duration
        var bytes: UInt64
    }

    private var entries: [Entry] = []

    /// Takes a message; ignored where it goes back, or tells of more than has been sent.
    ///
    /// - Parameters:
    ///   - message: with a TCPInfo, else the server's own count.
    ///   - arrival: since our handshake.
    ///   - written: bytes of load sent so far.
    ///   - held: bytes that it has by its acknowledgements, those beyond a lost segment included: its kernel counts
    ///     them only when the hole is filled, many at once.
    ///   - beyondHole: the most of the latter since the last message; more is not made up for.
    mutating func add(
        _ message: NDT7Message,
        arrival: Duration,
        written: UInt64,
        held: UInt64,
        beyondHole: UInt64
    ) {
        let pair: (elapsed: Int64, bytes: Int64)
        if let tcp = message.tcp, let elapsed = tcp.elapsedTime, let bytes = tcp.bytesReceived {
            pair = (elapsed, bytes)
        } else if let application = message.application {
            pair = (application.elapsedTime, application.byteCount)
        } else {
            return
        }
        // TLS and the handshake come on top of what we have written.
        let (tenth, most) = (written / 10, UInt64(65_536))
        guard pair.elapsed > 0, let bytes = UInt64(exactly: pair.bytes), bytes <= written &+ tenth &+ most,
            pair.elapsed < 3_600_000_000
        else { return }
        let missing = min(held - min(held, bytes), beyondHole)
        let entry = Entry(arrival: arrival, elapsed: .microseconds(pair.elapsed), bytes: bytes + missing)
        if let last = entries.last, entry.elapsed <= last.elapsed || entry.bytes < last.bytes { return }
        entries.append(entry)
    }

    /// What arrived between the first message since `start` and the last one; nil unless they are at least half of
    /// `length` apart.
    func total(since start: Duration, length: Duration) -> (bytes: UInt64, duration: Duration)? {
        guard let first = entries.first(where: { $0.arrival >= start }), let last = entries.last else { return nil }
        let duration = last.elapsed - first.elapsed
        guard duration > .zero, duration >= length / 2 else { return nil }
        return (last.bytes - first.bytes, duration)
    }
}
