import HTTPTransfer
import Locking
import Posix
import Statistics

/// The bytes and the state of the streams of one load, shared by its tasks.
final class LoadAccounting: Sendable {
    private struct State {
        var moved: UInt64 = 0
        var running: [ObjectIdentifier: Running] = [:]
        /// Of requests that have ended: their segments, and what of them reached the bodies.
        var ended = (segments: UInt64(0), payload: 0.0)
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

    /// Makes requests smaller, for a server that refused so many bytes.
    ///
    /// Several streams may be refused at once; the limit shrinks once for all of them.
    func shrink(from bytes: UInt64) {
        state.withLock { $0.largest = min($0.largest, max(1 << 18, bytes / 8)) }
    }

    func sample() -> LoadSample {
        state.withLock { sample(&$0) }
    }

    private func sample(_ state: inout State) -> LoadSample {
        var (bytes, segments, isSound) = (state.moved, state.ended.segments, direction == .download)
        for key in state.running.keys {
            guard var running = state.running[key] else { continue }
            running.read(direction)
            state.running[key] = running
            bytes &+= running.moved
            segments &+= running.segments
            isSound = isSound && running.isSound
        }
        return LoadSample(time: start.duration(to: .now), bytes: bytes, segments: isSound ? segments : nil)
    }

    /// Of a download: the share of the segments' bytes that reached the bodies of the answers; nil where they are not counted.
    var payloadShare: Double? {
        state.withLock { state in
            let segments = state.running.values.reduce(state.ended.segments) { $0 &+ $1.segments }
            guard segments > 0 else { return nil }
            return state.running.values.reduce(state.ended.payload) { $0 + $1.share.arrived } / Double(segments)
        }
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

    /// `counts`: the request was successful; bytes of a failed one do not count.
    func end(_ meter: TransferMeter, counts: Bool) {
        let congestionControl =
            direction == .upload ? meter.congestionControl : meter.header("X-Congestion-Control")
        state.withLock { state in
            var running = state.running.removeValue(forKey: ObjectIdentifier(meter)) ?? Running(meter: meter)
            if counts {
                running.read(direction)
                state.moved &+= running.moved
                state.ended.segments &+= running.segments
                state.ended.payload += running.share.arrived
                state.trouble = nil
            }
            state.congestionControl = state.congestionControl ?? congestionControl
        }
    }

    /// Of the sender: ours in an upload, the one that the server reported in a download.
    var congestionControl: String? { state.withLock { $0.congestionControl } }

    func streamBegan() {
        state.withLock { $0.streams += 1 }
    }

    /// A request failed, and its stream tries again.
    func requestFailed(_ failure: SpeedTestFailure) {
        state.withLock { $0.trouble = $0.trouble ?? failure }
    }

    /// The first failed request since the last successful one: why no byte moves any more.
    var trouble: SpeedTestFailure? { state.withLock { $0.trouble } }

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

    /// The last sample, once the byte limit is used up.
    var end: LoadSample? { state.withLock { $0.exhausted } }

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

/// One request of the load.
private struct Running {
    let meter: TransferMeter
    private(set) var moved: UInt64 = 0
    private(set) var segments: UInt64 = 0
    private(set) var share = PayloadShare()

    init(meter: TransferMeter) { self.meter = meter }

    /// Before its first segment it is no measure, and no harm.
    var isSound: Bool { segments == 0 ? moved == 0 : share.isSound }

    /// Reads the bytes that have arrived: written ones count only where the kernel has no counters.
    mutating func read(_ direction: Direction) {
        let counters = meter.counters
        switch direction {
        case .download:
            moved = meter.received
            segments = counters?.segments ?? 0
            share.add(delivered: moved, segments: segments)
        case .upload: moved = counters.map { $0.acknowledged &+ $0.beyondHole } ?? meter.sent
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
