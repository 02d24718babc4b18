import Statistics

/// The mean rate of a series of samples, and how certain it is.
///
/// Segments count as they arrive, so that their mean is that of the line wherever the series begins and ends. A count of
/// bytes in order stops at a lost segment and jumps when it is there: its ends are those of `CalmSpan`. Where no byte waits
/// behind a lost segment both grow evenly, and the bytes need no estimate of what the segments carry (`PayloadShare`).
struct MeanRate: Sendable, Equatable {
    /// The time of a block: longer than a cycle of BBR (eight round trips) on most lines, and than a sawtooth of CUBIC on
    /// short ones.
    private static let block = 1.0
    /// Below so many blocks a standard deviation says little, so that those of a short series are shorter.
    private static let minimum = 4
    private static let maximum = 31
    /// The uncertainty of any series: its ends fall between two readings of the counters.
    private static let resolution = 0.002

    /// Of all that arrived, what may wait behind a hole, or to be read, where the bytes in order count.
    private static let tolerance = 0.001

    /// In the unit of the series: of segments or of bytes.
    let bytes: Double
    let duration: Duration
    /// The bytes are those of segments.
    let isOfSegments: Bool
    /// Half the width of the 95 % interval as a share of the mean, by Student's t of the means of blocks; nil with too
    /// few samples, and without a byte.
    let uncertainty: Double?

    /// nil where no time has passed.
    init?(_ samples: [LoadSample]) {
        let points: [Point]
        if Self.areInOrder(samples) {
            isOfSegments = false
            points = samples.map { Point(seconds: $0.time.seconds, bytes: Double($0.bytes)) }
        } else if samples.allSatisfy({ $0.segments != nil }) {
            isOfSegments = true
            points = samples.map { Point(seconds: $0.time.seconds, bytes: Double($0.segments ?? 0)) }
        } else {
            isOfSegments = false
            guard let span = CalmSpan(samples) else { return nil }
            points = samples.filter { (span.first.time...span.last.time).contains($0.time) }
                .map { Point(seconds: $0.time.seconds, bytes: Double($0.bytes)) }
        }
        guard let first = points.first, let last = points.last, last.seconds > first.seconds else { return nil }
        bytes = max(0, last.bytes - first.bytes)
        duration = .seconds(last.seconds - first.seconds)
        uncertainty = Self.uncertainty(points)
    }

    /// Whether the bytes in order are an even share of the segments at every sample: no more than a thousandth of them wait.
    private static func areInOrder(_ samples: [LoadSample]) -> Bool {
        guard let first = samples.first, let last = samples.last, let start = first.segments, let end = last.segments,
            end > start, last.bytes > first.bytes
        else { return false }
        let segments = Double(end) - Double(start)
        let share = (Double(last.bytes) - Double(first.bytes)) / segments
        return samples.allSatisfy { sample in
            guard let arrived = sample.segments else { return false }
            let expected = share * (Double(arrived) - Double(start))
            return abs(Double(sample.bytes) - Double(first.bytes) - expected) <= tolerance * segments
        }
    }

    var bytesPerSecond: Double { bytes / duration.seconds }

    /// The uncertainty where there is another count of the same load.
    ///
    /// It is at most the uncertainty of the other count plus the difference of the two. The answers of a busy server come late and in bursts, which widens its own interval and not that of what was
    /// acknowledged.
    ///
    /// - Parameters:
    ///   - rate: Of the other count, in bytes of bodies each second.
    ///   - certainty: Half the width of its interval, as a share.
    /// - Returns: half the width of the interval; nil where neither is known.
    func uncertainty(beside rate: Double, _ certainty: Double?) -> Double? {
        guard let certainty, rate > 0 else { return uncertainty }
        let common = certainty + abs(bytesPerSecond / rate - 1)
        return uncertainty.map { min($0, common) } ?? common
    }

    /// The bytes of bodies, of which each byte of segments carries a share.
    func payload(_ share: Double?) -> UInt64 {
        let payload = isOfSegments ? bytes * (share ?? 1) : bytes
        return UInt64(min(max(payload, 0), 0x1p62))
    }

    private struct Point {
        var seconds: Double
        var bytes: Double
    }

    /// The larger of those by blocks of one and of two lengths: where a rate swings more slowly than a block, the means of
    /// neighbours are alike, and the shorter blocks understate it.
    private static func uncertainty(_ points: [Point]) -> Double? {
        let length = points[points.count - 1].seconds - points[0].seconds
        let blocks = min(maximum, max(minimum, Int(min(length / block, 1000))))
        let widths = [blocks, blocks / 2].filter { $0 >= minimum }.map { halfWidth(points, blocks: $0) }
        guard let widest = widths.compactMap(\.self).max() else { return nil }
        return max(resolution, widest)
    }

    private static func halfWidth(_ points: [Point], blocks: Int) -> Double? {
        // Between two blocks there must be a sample.
        guard points.count > 2 * blocks else { return nil }
        let (start, end) = (points[0], points[points.count - 1])
        let mean = (end.bytes - start.bytes) / Double(blocks)
        guard mean > 0 else { return nil }
        var rest = points[...]
        var previous = start.bytes
        var squares = 0.0
        for index in 1...blocks {
            let time = start.seconds + (end.seconds - start.seconds) * Double(index) / Double(blocks)
            let bytes = index == blocks ? end.bytes : Self.bytes(&rest, at: time)
            squares += (bytes - previous - mean) * (bytes - previous - mean)
            previous = bytes
        }
        let deviation = (squares / Double(blocks - 1)).squareRoot() / mean
        return studentQuantiles[blocks - 2] * deviation / Double(blocks).squareRoot()
    }

    /// Between two samples by linear interpolation; drops the samples before that time.
    private static func bytes(_ points: inout ArraySlice<Point>, at time: Double) -> Double {
        while points.count > 2, points[points.startIndex + 1].seconds <= time { points.removeFirst() }
        let (before, after) = (points[points.startIndex], points[points.startIndex + 1])
        guard after.seconds > before.seconds else { return after.bytes }
        let share = min(1, max(0, (time - before.seconds) / (after.seconds - before.seconds)))
        return before.bytes + share * (after.bytes - before.bytes)
    }

    /// Student's t at 97.5 %, for 1 to 30 degrees of freedom.
    private static let studentQuantiles = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    ]
}
