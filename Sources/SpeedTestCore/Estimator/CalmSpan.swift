import Statistics

/// The part of a series of samples whose mean rate is that of the path.
///
/// A lost segment delays the bytes after it, which then arrive at once: on a long line with a full buffer as many as
/// some tenths of a second carry. A mean that begins or ends in such a stall is a rate that the path never had. Each
/// end therefore moves inwards to the sample where the fewest bytes were delayed, which is farthest above the straight
/// line through all samples: by at most a second, so that at least a second, or two thirds of a short series, remain.
struct CalmSpan: Sendable, Equatable {
    let first: LoadSample
    let last: LoadSample

    /// Finds the ends in samples in their order; nil where no time has passed.
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

    /// The slope of the least-squares line.
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
    /// The longest suffix whose elements all satisfy the condition.
    fileprivate func suffix(while isWanted: (Element) -> Bool) -> ArraySlice<Element> {
        self[(lastIndex { !isWanted($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
