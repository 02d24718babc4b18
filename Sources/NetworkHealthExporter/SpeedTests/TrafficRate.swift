/// The rate of about the last second, from a total that grows.
struct TrafficRate {
    private var samples: [(bytes: UInt64, at: ContinuousClock.Instant)] = []

    /// Takes the total of this moment; bytes a second.
    mutating func add(_ bytes: UInt64, at now: ContinuousClock.Instant) -> Double {
        samples.append((bytes, now))
        // The last one from before the window stays: the rate is that since then.
        while samples.count > 2, samples[1].at <= now - .seconds(1) { samples.removeFirst() }
        guard let first = samples.first, first.at < now else { return 0 }
        return Double(bytes - min(bytes, first.bytes)) / (first.at.duration(to: now) / .seconds(1))
    }
}
