import HTTPTransfer
import Locking
import Posix
import Statistics

/// The bytes and the state of the streams of one load, shared by its tasks.
final class LoadAccounting: Sendable {
    /// How a request ended.
    enum Ending {
        /// The server has answered all of it.
        case success
        /// The end of the load has ended it: its bytes count, and it vouches for nothing.
        case stopped
        case failure(SpeedTestFailure)
        /// It was too large for the server, and the next one is smaller.
        case tooLarge(SpeedTestFailure)
    }

    private struct Running {
        var meter: TransferMeter
        /// What it had moved at each sample of the load.
        var samples: [LoadSample] = []
    }

    private struct State {
        var moved: UInt64 = 0
        var running: [ObjectIdentifier: Running] = [:]
        /// Of requests that have failed since the last sample.
        var lost = LostBytes()
        /// Why bytes were lost: the first failure of its series.
        var loss: SpeedTestFailure?
        /// Bytes were lost after the last success.
        var isInDoubt = false
        var hasSucceeded = false
        var streams = 0
        var failed = 0
        var firstFailure: SpeedTestFailure?
        var trouble: SpeedTestFailure?
        var isRefused = false
        var exhausted: LoadSample?
        var congestionControl: String?
        var largest: UInt64
    }

    private let direction: Direction
    private let start: ContinuousClock.Instant
    private let state: Locked<State>

    /// Begins without a stream; a request has at most `largest` bytes.
    init(_ direction: Direction, start: ContinuousClock.Instant, largest: UInt64) {
        self.direction = direction
        self.start = start
        state = Locked(State(largest: largest))
    }

    /// The maximum bytes of a request.
    var largest: UInt64 { state.withLock { $0.largest } }

    /// Makes requests smaller, for a server that refused so many bytes; false where they are as small as they get.
    ///
    /// Several streams may be refused at once; the limit shrinks once for all of them.
    func shrink(from bytes: UInt64) -> Bool {
        state.withLock { state in
            state.largest = min(state.largest, max(1 << 18, bytes / 8))
            return state.largest < bytes
        }
    }

    /// The bytes so far, and those of earlier samples that no longer count, each once.
    ///
    /// The last sample stays the same once the byte limit is used up.
    func sample() -> (now: LoadSample, lost: LostBytes) {
        state.withLock { state in
            defer { state.lost = LostBytes() }
            let lost = state.lost
            guard let end = state.exhausted else { return (sample(&state), lost) }
            state.exhausted = end.without(lost)
            return (end.without(lost), lost)
        }
    }

    private func sample(_ state: inout State) -> LoadSample {
        let time = start.duration(to: .now)
        var bytes = state.moved
        for (id, request) in state.running {
            let moved = request.meter.moved(direction)
            state.running[id]?.samples.append(LoadSample(time: time, bytes: moved))
            bytes &+= moved
        }
        return LoadSample(time: time, bytes: bytes)
    }

    /// The time since the load began, and the bytes of an upload that have arrived beyond holes: the server counts them
    /// when the holes are filled.
    var beyondHoles: LoadSample {
        state.withLock { state in
            let bytes = state.running.values.reduce(0) { $0 &+ ($1.meter.counters?.beyondHole ?? 0) }
            return LoadSample(time: start.duration(to: .now), bytes: bytes)
        }
    }

    func begin(_ meter: TransferMeter) {
        state.withLock { $0.running[ObjectIdentifier(meter)] = Running(meter: meter) }
    }

    /// The bytes of a failed request do not count, nor did they before.
    func end(_ meter: TransferMeter, _ ending: Ending) {
        let congestionControl =
            direction == .upload ? meter.congestionControl : meter.header("X-Congestion-Control")
        state.withLock { state in
            let samples = state.running.removeValue(forKey: ObjectIdentifier(meter))?.samples ?? []
            let moved = meter.moved(direction)
            switch ending {
            case .success:
                (state.trouble, state.isInDoubt, state.hasSucceeded) = (nil, false, true)
                state.moved &+= moved
            case .stopped: state.moved &+= moved
            case .failure(let failure):
                state.trouble = state.trouble ?? failure
                guard moved > 0 else { break }
                if !state.isInDoubt { state.loss = failure }
                state.isInDoubt = true
                state.lost.add(samples, total: moved)
            case .tooLarge(let failure):
                state.loss = state.loss ?? failure
                state.lost.add(samples, total: moved)
            }
            state.congestionControl = state.congestionControl ?? congestionControl
        }
    }

    /// Of the sender: ours in an upload, the one that the server reported in a download.
    var congestionControl: String? { state.withLock { $0.congestionControl } }

    func streamBegan() {
        state.withLock { $0.streams += 1 }
    }

    /// The first failed request since the last successful one: why no byte moves any more.
    var trouble: SpeedTestFailure? { state.withLock { $0.trouble } }

    /// Whether a request was answered as it should.
    var hasSucceeded: Bool { state.withLock { $0.hasSucceeded } }

    /// Why requests forbid a rate, however long the window is; nil: they do not.
    ///
    /// Where a request lost its bytes and none succeeded after it, nothing vouches for the bytes that count. Where too many
    /// were lost, the rate is not that of the path.
    func objection(to ending: LoadPlan.Ending, _ window: SteadyWindow?) -> SpeedTestFailure? {
        state.withLock { state in
            if state.isInDoubt { return state.loss }
            if ending == .stalled { return state.trouble }
            if direction == .upload, !state.hasSucceeded {
                return SpeedTestFailure(.short, "no upload was answered before the load ended")
            }
            guard let window, let loss = state.loss else { return nil }
            let all = Double(window.bytes) + Double(window.lost)
            return Double(window.lost) > all * WindowRule.maxLost ? loss : nil
        }
    }

    func streamFailed(_ failure: SpeedTestFailure) {
        state.withLock { state in
            state.failed += 1
            state.firstFailure = state.firstFailure ?? failure
        }
    }

    /// The server refuses the load.
    func refused(_ failure: SpeedTestFailure) {
        state.withLock { state in
            state.firstFailure = failure
            state.isRefused = true
        }
    }

    /// The allowance is used up: the window ends here.
    func exhausted() {
        state.withLock { state in
            if state.exhausted == nil { state.exhausted = sample(&state) }
        }
    }

    /// The byte limit is used up.
    var isExhausted: Bool { state.withLock { $0.exhausted != nil } }

    /// The numbers of running and of failed streams.
    var streams: (alive: Int, failed: Int) {
        state.withLock { ($0.streams - $0.failed, $0.failed) }
    }

    /// Why the load must end: the server refused it, or more than half of the streams have failed.
    var failure: SpeedTestFailure? {
        state.withLock { state in
            state.isRefused || state.failed * 2 > max(state.streams, StreamRamp.initial) ? state.firstFailure : nil
        }
    }
}

extension TransferMeter {
    /// The bytes that have arrived: written ones count only where the kernel has no counters.
    fileprivate func moved(_ direction: Direction) -> UInt64 {
        switch direction {
        case .download: received
        case .upload: counters.map { $0.acknowledged &+ $0.beyondHole } ?? sent
        }
    }
}

/// The counters of this host at one end of the window: what else limits the rate.
struct HostCounters: Sendable, Equatable {
    var time: Duration
    /// Of the thread that moves the load: it ran, or waited for a processor.
    var busy: Duration?
    /// All bytes of the device in the load's direction.
    var device: UInt64?
    /// The test's own payload in the load's direction, repetitions and probes included; nil where the kernel does not count it.
    var own: UInt64?
    var contention = ProcessorContention()

    /// A thread that never sleeps for long limits the rate: it waited for a processor, not for the network.
    static let busyShare = 0.9
    /// Other traffic above this share of the test's bytes limits the rate.
    private static let foreign = 0.1
    /// The maximum that headers of Ethernet, IP and TCP add to full segments.
    private static let overhead = 1.06

    /// What may have limited the rate of the window that ends here.
    func limits(since start: HostCounters, ours: UInt64) -> Set<DirectionReport.Limit> {
        var limits: Set<DirectionReport.Limit> = []
        let seconds = (time - start.time).seconds
        if let from = start.busy, let to = busy, seconds > 0, (to - from).seconds / seconds > Self.busyShare {
            limits.insert(.cpu)
        }
        if contention.isRelevant(since: start.contention, after: time - start.time) { limits.insert(.cpu) }
        if let from = start.device, let to = device, to > from {
            // On a short buffer a tenth and more is sent again.
            let ours = Double(max(ours, own.map { $0 &- min($0, start.own ?? $0) } ?? 0))
            if Double(to - from) - ours * Self.overhead > ours * Self.foreign { limits.insert(.crossTraffic) }
        }
        return limits
    }
}
