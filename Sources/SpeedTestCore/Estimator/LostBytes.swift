/// Of requests that have failed: what they had moved at each sample.
struct LostBytes: Sendable, Equatable {
    private var moved: [Duration: LoadSample] = [:]
    private var total: UInt64 = 0

    var isEmpty: Bool { total == 0 }

    /// - Parameters:
    ///   - samples: of one request, at the times of the load's samples.
    ///   - total: up to its end.
    mutating func add(_ samples: [LoadSample], total: UInt64) {
        for sample in samples {
            var sum = moved[sample.time] ?? LoadSample(time: sample.time, bytes: 0, segments: 0)
            sum.bytes &+= sample.bytes
            sum.segments = (sum.segments ?? 0) &+ (sample.segments ?? 0)
            moved[sample.time] = sum
        }
        self.total += total
    }

    fileprivate func at(_ time: Duration) -> LoadSample { moved[time] ?? LoadSample(time: time, bytes: 0, segments: 0) }

    /// What moved after a sample of the load.
    func bytes(since start: LoadSample) -> UInt64 { total - min(total, at(start.time).bytes) }
}

extension LoadSample {
    /// The sample as if those requests had never been.
    func without(_ lost: LostBytes) -> LoadSample {
        let lost = lost.at(time)
        return LoadSample(
            time: time,
            bytes: bytes - min(bytes, lost.bytes),
            segments: segments.map { $0 - min($0, lost.segments ?? 0) }
        )
    }
}
