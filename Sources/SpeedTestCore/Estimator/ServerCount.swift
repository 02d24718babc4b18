import FoundationEssentials

/// What a server says has arrived of an upload: `{"bytes","firstByteAt","lastByteAt"}`, seconds of its own clock.
struct ServerCount: Sendable, Equatable, Decodable {
    var bytes: UInt64
    var lastByteAt: Double?

    /// - Returns: nil for what is no such answer.
    init?(_ json: [UInt8]) {
        guard let count = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = count
    }

    /// What arrived between the first and the last of several answers, by the server's clock.
    ///
    /// - Returns: nil where that says nothing: too little time between them, or a clock or counter that went backwards.
    static func between(_ answers: [ServerCount], atLeast shortest: Duration) -> (bytes: UInt64, time: Duration)? {
        guard let first = answers.first, let last = answers.last, last.bytes > first.bytes,
            let start = first.lastByteAt, let end = last.lastByteAt, (end - start).isFinite,
            (0.001...3600).contains(end - start), Duration.seconds(end - start) >= shortest
        else { return nil }
        return (last.bytes - first.bytes, .seconds(end - start))
    }
}
