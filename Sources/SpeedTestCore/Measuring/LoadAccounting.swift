import Coordination
import HTTPTransfer
import Posix
import Statistics

/// The bytes and the state of the streams of one load, shared by its tasks.
final class LoadAccounting: Sendable {
    /// How a request ended.
    enum Ending {
        /// The server has answered all of it.
        case success
        /// The end of the load has ended it: its bytes count, and it is no sign that the server works.
        case stopped
        case failure(SpeedTestFailure)
        /// It was too large for the server, and the next one is smaller.
        case tooLarge(SpeedTestFailure)
    }

    private struct State {
        var moved: UInt64 = 0
        var running: [ObjectIdentifier: LoadRequest] = [:]
        /// Of an upload: the bytes of requests that have ended, also of failed ones, that were given to be sent.
        var written: UInt64 = 0
        /// Of a download: the segments of requests that have ended, as bytes of full ones.
        var segments: UInt64 = 0
        var share = PayloadShare()
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
        var sum = LoadSample(time: start.duration(to: .now), bytes: state.moved)
        var segments = state.segments
        for id in state.running.keys {
            guard let read = state.running[id]?.read(direction, at: sum.time) else { continue }
            sum.bytes &+= read.bytes
            segments &+= read.segments ?? 0
            let segmentSize = state.running[id]?.segmentSize ?? 0
            state.share.add(delivered: read.bytes, segments: read.segments, segmentSize: segmentSize)
        }
        sum.segments = direction == .download && state.share.isSound ? segments : nil
        return sum
    }

    /// Of a download: which of the bytes of segments reach the bodies of the answers.
    var payloadShare: PayloadShare { state.withLock { $0.share } }

    /// The time since the load began, and the bytes of an upload that have arrived beyond holes: the server counts them
    /// when the holes are filled.
    var beyondHoles: LoadSample {
        state.withLock { state in
            let bytes = state.running.values.reduce(0) { $0 &+ ($1.meter.counters?.beyondHole ?? 0) }
            return LoadSample(time: start.duration(to: .now), bytes: bytes)
        }
    }

    /// The bytes of all requests of an upload, also of failed ones, that were given to be sent.
    var written: UInt64 {
        state.withLock { state in state.running.values.reduce(state.written) { $0 &+ $1.meter.sent } }
    }

    func begin(_ meter: TransferMeter) {
        state.withLock { $0.running[ObjectIdentifier(meter)] = LoadRequest(meter: meter) }
    }

    /// The bytes of a failed request do not count, nor did they before.
    func end(_ meter: TransferMeter, _ ending: Ending) {
        let congestionControl =
            direction == .upload ? meter.congestionControl : meter.header("X-Congestion-Control")
        state.withLock { state in
            var request = state.running.removeValue(forKey: ObjectIdentifier(meter)) ?? LoadRequest(meter: meter)
            let samples = request.samples
            state.written &+= meter.sent
            let last = request.read(direction, at: start.duration(to: .now))
            switch ending {
            case .success, .stopped:
                if case .success = ending { (state.trouble, state.isInDoubt, state.hasSucceeded) = (nil, false, true) }
                state.moved &+= last.bytes
                state.segments &+= last.segments ?? 0
                state.share.add(delivered: last.bytes, segments: last.segments)
            case .failure(let failure):
                state.trouble = state.trouble ?? failure
                guard last.bytes > 0 else { break }
                if !state.isInDoubt { state.loss = failure }
                state.isInDoubt = true
                state.lost.add(samples, total: last.bytes)
            case .tooLarge(let failure):
                state.loss = state.loss ?? failure
                state.lost.add(samples, total: last.bytes)
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
    /// Where a request lost its bytes and none succeeded after it, nothing shows that the bytes that count arrived whole. Where too many
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
