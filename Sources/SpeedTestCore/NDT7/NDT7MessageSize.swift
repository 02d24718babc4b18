/// How long the next load message is: short at first, so that slow paths see an end of one now and then.
struct NDT7MessageSize {
    static let initial = 1 << 13
    /// Receivers take up to 2^24; every known sender stops here.
    static let maximum = 1 << 20

    private(set) var current = initial

    /// The next one, after `total` bytes of load: doubled while it is at most a sixteenth of that.
    mutating func next(total: UInt64) -> Int {
        if current < Self.maximum, UInt64(current) <= total / 16 { current *= 2 }
        return current
    }
}
