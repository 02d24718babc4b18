import Statistics

/// How much had moved at a moment.
struct LoadSample: Sendable, Equatable {
    /// Since the load began.
    var time: Duration
    /// Since then too.
    var bytes: UInt64

    /// Bytes a second from an earlier sample to this; nil where no time has passed.
    func rate(since earlier: LoadSample) -> Double? {
        let seconds = (time - earlier.time).seconds
        // Bytes of a request that failed are taken back.
        return seconds > 0 ? max(0, Double(bytes) - Double(earlier.bytes)) / seconds : nil
    }
}
