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
    static func between(_ answers: [ServerCount], atLeast shortest: Duration) -> CalmSpan? {
        guard let first = answers.first?.lastByteAt else { return nil }
        let samples = answers.compactMap { answer in
            answer.lastByteAt.map { $0 - first }.flatMap { time in
                (0...3600).contains(time) ? LoadSample(time: .seconds(time), bytes: answer.bytes) : nil
            }
        }
        guard samples.count == answers.count, let last = samples.last, last.time >= max(shortest, .milliseconds(1)),
            let span = CalmSpan(samples), span.bytes > 0
        else { return nil }
        return span
    }
}
