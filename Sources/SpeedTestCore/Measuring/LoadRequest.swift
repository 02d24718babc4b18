import HTTPTransfer
import Posix
import Statistics

/// One running request of a load, and what it had moved at each sample.
struct LoadRequest {
    let meter: TransferMeter
    private(set) var samples: [LoadSample] = []
    /// The payload of a full segment that arrives; 0: not known.
    private(set) var segmentSize: UInt64 = 0

    init(meter: TransferMeter) { self.meter = meter }

    /// Reads the bytes that have arrived: written ones count only where the kernel has no counters.
    mutating func read(_ direction: Direction, at time: Duration) -> LoadSample {
        let counters = meter.counters
        var sample = LoadSample(time: time, bytes: 0)
        switch direction {
        case .download:
            sample.bytes = meter.received
            sample.segments = counters?.segments
            segmentSize = counters?.segmentSize ?? 0
        case .upload: sample.bytes = counters.map { $0.acknowledged &+ $0.beyondHole } ?? meter.sent
        }
        samples.append(sample)
        return sample
    }
}
