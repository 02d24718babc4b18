/// How many connections share the load: more for as long as more help.
struct StreamRamp: Sendable, Equatable {
    static let initial = 4
    private static let most = 16
    /// What two more connections must bring, else it stays at what there are.
    private static let gain = 1.05

    private(set) var streams = initial
    private var previous: Double?
    private var isFrozen = false

    /// How many are to be added after a half second at this rate.
    mutating func next(bytesPerSecond: Double) -> Int {
        defer { previous = bytesPerSecond }
        guard let previous, !isFrozen else { return 0 }
        // Slow lines gain nothing from many: one for each 2 Mbit/s.
        let limit = Int(min(Double(Self.most), max(Double(Self.initial), bytesPerSecond * 8 / 2e6)))
        guard bytesPerSecond > previous * Self.gain, streams < limit else {
            isFrozen = true
            return 0
        }
        let added = min(2, limit - streams)
        streams += added
        return added
    }
}
