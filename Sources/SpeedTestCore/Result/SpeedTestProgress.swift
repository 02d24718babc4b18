package import Statistics

/// Where a running test is.
package struct SpeedTestProgress: Sendable, Equatable {
    package enum Phase: String, Sendable, CaseIterable {
        case connecting, latency, download, upload
    }

    package var phase: Phase
    /// Of the phase, 0…1, an estimate.
    package var fraction: Double
    /// The rate of the last second; nil in the first phases.
    package var rate: BitRate?

    package init(_ phase: Phase, fraction: Double, rate: BitRate? = nil) {
        self.phase = phase
        self.fraction = fraction
        self.rate = rate
    }
}

/// Where a load is, for people: the rate of the last second and a guess of how much is done.
struct ProgressRate: Sendable, Equatable {
    private let direction: Direction
    private let length: Duration
    private var samples: [LoadSample] = [LoadSample(time: .zero, bytes: 0)]

    /// For a measured window that may become so long.
    init(_ direction: Direction, window: Duration) {
        self.direction = direction
        // Most warm-ups take two seconds.
        length = window + .seconds(2)
    }

    mutating func add(_ sample: LoadSample) {
        samples.append(sample)
        // The newest that is a second old stays, and what came after it.
        while samples.count > 2, sample.time - samples[1].time >= .seconds(1) { samples.removeFirst() }
    }

    /// nil before anything has moved.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.bytes > 0 else { return nil }
        return last.rate(since: first)
    }

    var progress: SpeedTestProgress {
        let time = samples.last?.time ?? .zero
        return SpeedTestProgress(
            direction == .download ? .download : .upload,
            fraction: min(1, time / length),
            rate: bytesPerSecond.map(BitRate.init(bytesPerSecond:))
        )
    }
}
