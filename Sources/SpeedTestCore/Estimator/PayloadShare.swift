/// Of the counted segments of a load, the share that reaches the bodies of the answers.
///
/// What is missing of a body is beyond a hole, or not read yet, and comes later; headers, and what segments lack to be full,
/// never come. All connections of a load carry the same kind of segments. The largest share of any of them, at any time, is
/// therefore that of all: most connections have a moment without a hole, at the latest before their first loss.
/// Segments that arrived twice are taken off apart, since they come later than that moment.
struct PayloadShare: Sendable, Equatable {
    /// Above it several joined segments counted as one, and the count is no measure.
    private static let maximum = 1.002
    /// The segments of a request from which on its headers do not matter.
    private static let minimum: UInt64 = 65_536

    private var largest = 0.0
    /// Of requests with fewer segments than the minimum.
    private var small = 0.0
    /// The payload of a full segment.
    private var segmentSize: UInt64 = 0
    /// Whether the segments are a measure of what has arrived.
    private(set) var isSound = true

    /// Takes a reading of one request.
    ///
    /// - Parameters:
    ///   - delivered: the bytes of its body that were read so far.
    ///   - segments: those that have arrived so far, as bytes of full ones; nil where they are not counted.
    ///   - segmentSize: the payload of a full one (`TCPCounters.segmentSize`); 0: not known.
    mutating func add(delivered: UInt64, segments: UInt64?, segmentSize: UInt64 = 0) {
        self.segmentSize = max(self.segmentSize, segmentSize)
        guard let segments, segments > 0 else {
            if delivered > 0 { isSound = false }
            return
        }
        let share = Double(delivered) / Double(segments)
        if share > Self.maximum { isSound = false }
        if segments >= Self.minimum { largest = max(largest, share) } else { small = max(small, share) }
    }

    /// The share of the bytes of segments.
    ///
    /// - Parameters:
    ///   - duplicates: the segments that arrived twice.
    ///   - segments: all that arrived meanwhile, as bytes of full ones.
    /// - Returns: 0 before the first segment.
    func value(duplicates: UInt64 = 0, of segments: UInt64 = 0) -> Double {
        let twice = segments > 0 ? Double(duplicates) * Double(segmentSize) / Double(segments) : 0
        return (largest > 0 ? largest : small) * (1 - min(twice, 0.5))
    }
}
