import HTTPTransfer
import Locking
import Posix
import Statistics

/// What the streams of one load have moved and how they fare, as all of its tasks see it.
final class LoadAccounting: Sendable {
    private struct State {
        var moved: UInt64 = 0
        var running: [ObjectIdentifier: TransferMeter] = [:]
        var streams = 0
        var failed = 0
        var firstFailure: SpeedTestFailure?
        var isRefused = false
        var exhausted: LoadSample?
        var congestionControl: String?
        var largest: UInt64
    }

    private let direction: Direction
    private let start: ContinuousClock.Instant
    private let state: Locked<State>

    /// Begins with no stream; a request has `largest` bytes at most.
    init(_ direction: Direction, start: ContinuousClock.Instant, largest: UInt64) {
        self.direction = direction
        self.start = start
        state = Locked(State(largest: largest))
    }

    /// Bytes of a request at most.
    var largest: UInt64 { state.withLock { $0.largest } }

    /// Makes requests smaller, for a server that finds so many bytes too large.
    ///
    /// Several streams may be told so at once; it shrinks once for all of them.
    func shrink(from bytes: UInt64) {
        state.withLock { $0.largest = min($0.largest, max(1 << 18, bytes / 8)) }
    }

    func sample() -> LoadSample {
        state.withLock { sample($0) }
    }

    private func sample(_ state: State) -> LoadSample {
        let running = state.running.values.reduce(0) { $0 &+ $1.moved(direction) }
        return LoadSample(time: start.duration(to: .now), bytes: state.moved &+ running)
    }

    func begin(_ meter: TransferMeter) {
        state.withLock { $0.running[ObjectIdentifier(meter)] = meter }
    }

    /// What was moved in vain does not count.
    func end(_ meter: TransferMeter, counts: Bool) {
        let congestionControl =
            direction == .upload ? meter.congestionControl : meter.header("X-Congestion-Control")
        state.withLock { state in
            state.running[ObjectIdentifier(meter)] = nil
            if counts { state.moved &+= meter.moved(direction) }
            state.congestionControl = state.congestionControl ?? congestionControl
        }
    }

    /// The sender's: ours in an upload, in a download what the server has told.
    var congestionControl: String? { state.withLock { $0.congestionControl } }

    func streamBegan() {
        state.withLock { $0.streams += 1 }
    }

    func streamFailed(_ failure: SpeedTestFailure) {
        state.withLock { state in
            state.failed += 1
            state.firstFailure = state.firstFailure ?? failure
        }
    }

    /// The server wants no more of this.
    func refused(_ failure: SpeedTestFailure) {
        state.withLock { state in
            state.firstFailure = failure
            state.isRefused = true
        }
    }

    /// Nothing is left to be asked for: this is where the window ends.
    func exhausted() {
        state.withLock { state in
            if state.exhausted == nil { state.exhausted = sample(state) }
        }
    }

    /// The last sample, once the byte limit is used up.
    var end: LoadSample? { state.withLock { $0.exhausted } }

    /// Streams that have not failed, and those that have.
    var streams: (alive: Int, failed: Int) {
        state.withLock { ($0.streams - $0.failed, $0.failed) }
    }

    /// Why the load must end: the server said no, or more than half of the streams have failed.
    var failure: SpeedTestFailure? {
        state.withLock { state in
            state.isRefused || state.failed * 2 > max(state.streams, StreamRamp.initial) ? state.firstFailure : nil
        }
    }
}

extension TransferMeter {
    /// What has arrived at the other end: written bytes count only where the kernel tells nothing.
    fileprivate func moved(_ direction: Direction) -> UInt64 {
        switch direction {
        case .download: received
        case .upload: counters?.acknowledged ?? sent
        }
    }
}

/// What else went on, at one end of the window.
struct HostCounters: Sendable, Equatable {
    var time: Duration
    /// Of the thread that moves the load.
    var processor: Duration?
    /// What the device has carried in the load's direction, by whomever.
    var device: UInt64?

    /// More of its time than this and the thread was what held the rate down.
    private static let busy = 0.9
    /// Of what we moved ourselves.
    private static let foreign = 0.1
    /// What headers of Ethernet, IP and TCP add at most to full segments.
    private static let overhead = 1.06

    /// What may have held down the rate of the window that ends here.
    func limits(since start: HostCounters, ours: UInt64) -> Set<DirectionReport.Limit> {
        var limits: Set<DirectionReport.Limit> = []
        let seconds = (time - start.time).seconds
        if let from = start.processor, let to = processor, seconds > 0, (to - from).seconds / seconds > Self.busy {
            limits.insert(.cpu)
        }
        if let from = start.device, let to = device, to > from {
            let ours = Double(ours)
            if Double(to - from) - ours * Self.overhead > ours * Self.foreign { limits.insert(.crossTraffic) }
        }
        return limits
    }
}
