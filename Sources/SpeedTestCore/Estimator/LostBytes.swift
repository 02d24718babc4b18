/// Of requests that have failed: what they had moved at each sample.
struct LostBytes: Sendable, Equatable {
    private var moved: [Duration: UInt64] = [:]
    private var total: UInt64 = 0

    var isEmpty: Bool { total == 0 }

    /// - Parameters:
    ///   - samples: of one request, at the times of the load's samples.
    ///   - total: up to its end.
    mutating func add(_ samples: [LoadSample], total: UInt64) {
        for sample in samples { moved[sample.time, default: 0] += sample.bytes }
        self.total += total
    }

    func bytes(at time: Duration) -> UInt64 { moved[time] ?? 0 }

    /// What moved after a sample of the load.
    func bytes(since start: LoadSample) -> UInt64 { total - min(total, bytes(at: start.time)) }
}

extension LoadSample {
    /// The sample as if those requests had never been.
    func without(_ lost: LostBytes) -> LoadSample {
        LoadSample(time: time, bytes: bytes - min(bytes, lost.bytes(at: time)))
    }
}
