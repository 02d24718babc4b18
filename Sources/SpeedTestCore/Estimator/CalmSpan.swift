import FoundationEssentials
import Statistics

/// The part of a series of samples whose mean rate is the path's.
///
/// A lost segment holds back what came after it, which then arrives at once: on a long line with a full buffer as much as
/// some tenths of a second bring. A mean that begins or ends in between is a rate that the path never had. Each end
/// therefore moves inwards to the sample where the least was held back, which is the one farthest above the straight line
/// through all: a second at most, and so that a second, or two thirds of a short series, stay between them.
struct CalmSpan: Sendable, Equatable {
    let first: LoadSample
    let last: LoadSample

    /// Looks for the ends in samples in their order; nil where no time has passed between them.
    init?(_ samples: some Collection<LoadSample>) {
        guard let start = samples.first else { return nil }
        let points = samples.map { sample in
            ((sample.time - start.time).seconds, Double(sample.bytes) - Double(start.bytes), sample)
        }
        guard let length = points.last?.0, length > 0, let slope = Self.slope(points.map { ($0.0, $0.1) }) else {
            return nil
        }
        let reach = min(1, max(length / 6, (length - 1) / 2))
        func height(_ point: (time: Double, bytes: Double, LoadSample)) -> Double { point.bytes - slope * point.time }
        let heads = points.prefix { $0.0 <= reach }
        let tails = points.suffix(while: { length - $0.0 <= reach })
        guard let first = heads.max(by: { height($0) < height($1) })?.2,
            let last = tails.max(by: { height($0) < height($1) })?.2
        else { return nil }
        (self.first, self.last) = (first, last)
    }

    var duration: Duration { last.time - first.time }
    var bytes: UInt64 { last.bytes > first.bytes ? last.bytes - first.bytes : 0 }
    var bytesPerSecond: Double { last.rate(since: first) ?? 0 }

    /// Of the line with the least squares.
    private static func slope(_ points: [(time: Double, bytes: Double)]) -> Double? {
        let count = Double(points.count)
        let time = points.reduce(0) { $0 + $1.time } / count
        let bytes = points.reduce(0) { $0 + $1.bytes } / count
        let spread = points.reduce(0) { $0 + ($1.time - time) * ($1.time - time) }
        guard spread > 0 else { return nil }
        return points.reduce(0) { $0 + ($1.time - time) * ($1.bytes - bytes) } / spread
    }
}

extension Array {
    /// The elements at the end that all satisfy it.
    fileprivate func suffix(while isWanted: (Element) -> Bool) -> ArraySlice<Element> {
        self[(lastIndex { !isWanted($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}

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
