package import Statistics

/// The progress of a running test.
package struct SpeedTestProgress: Sendable, Equatable {
    package typealias Phase = SpeedTestEvent.Phase

    package var phase: Phase
    /// The estimated part of the phase that is done, 0…1.
    package var fraction: Double
    /// The rate of the last second; nil in the first phases.
    package var rate: BitRate?

    package init(_ phase: Phase, fraction: Double, rate: BitRate? = nil) {
        self.phase = phase
        self.fraction = fraction
        self.rate = rate
    }
}

extension SpeedTestEvent.Phase {
    init(_ direction: Direction) { self = direction == .download ? .download : .upload }

    /// The direction that is loaded; nil in the other phases.
    package var direction: Direction? { Direction.allCases.first { Self($0) == self } }
}

/// The progress of a load: the rate of the last second and the estimated part that is done.
struct ProgressRate: Sendable, Equatable {
    private let direction: Direction
    private let length: Duration
    private var samples: [LoadSample] = [LoadSample(time: .zero, bytes: 0)]

    /// For a measured window of at most that length.
    init(_ direction: Direction, window: Duration) {
        self.direction = direction
        // Most warm-ups take two seconds.
        length = window + .seconds(2)
    }

    mutating func add(_ sample: LoadSample) {
        samples.append(sample)
        // Keeps the newest sample that is at least a second old, and those after it.
        while samples.count > 2, sample.time - samples[1].time >= .seconds(1) { samples.removeFirst() }
    }

    /// Takes the bytes of failed requests from every sample that they were in.
    mutating func remove(_ lost: LostBytes) { samples = samples.map { $0.without(lost) } }

    /// nil before the first byte.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.bytes > 0 else { return nil }
        return last.rate(since: first)
    }

    var progress: SpeedTestProgress {
        let time = samples.last?.time ?? .zero
        return SpeedTestProgress(
            .init(direction),
            fraction: min(1, time / length),
            rate: bytesPerSecond.map(BitRate.init(bytesPerSecond:))
        )
    }
}
