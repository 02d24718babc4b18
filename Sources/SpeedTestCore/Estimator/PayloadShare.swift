/// Of the counted segments of one connection, the share that reached the body of the answer.
///
/// What is missing of a body is beyond a hole, or not read yet, and comes later; repetitions, headers, and what segments lack
/// to be full never come. At the moment at which the least is missing, which is one without a hole on most connections, only
/// the latter are. The largest share of late is therefore that of the connection.
struct PayloadShare: Sendable, Equatable {
    /// The shares of segments that can be a measure: above it several joined segments counted as one, below it most
    /// segments were not full or were repetitions.
    static let sound = 0.7...1.002
    /// A generation of readings ends when the count of segments has grown by this factor.
    private static let growth = 1.5

    private var earlier = 0.0
    private var latest = 0.0
    private var generationEnds = 65_536.0
    private var segments = 0.0

    /// - Parameters:
    ///   - delivered: the bytes of the body that were read so far.
    ///   - segments: those that have arrived so far, as bytes of full ones.
    mutating func add(delivered: UInt64, segments: UInt64) {
        guard segments > 0 else { return }
        self.segments = Double(segments)
        if self.segments >= generationEnds {
            (earlier, latest) = (latest, 0)
            generationEnds = self.segments * Self.growth
        }
        latest = max(latest, Double(delivered) / self.segments)
    }

    /// Whether the segments are a measure of what has arrived.
    var isSound: Bool { value.map(Self.sound.contains) ?? false }

    /// nil before the first segment.
    var value: Double? { segments > 0 ? max(earlier, latest) : nil }

    /// The bytes of the body that have arrived, in order or not.
    var arrived: Double { (value ?? 0) * segments }
}
