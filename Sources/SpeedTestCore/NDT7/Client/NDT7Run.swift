import HTTPTransfer
import Posix
import Statistics

/// Loads one direction of an open WebSocket until it is measured: an ndt7 client's part after the handshake.
///
/// Not Sendable: it stays on the thread that created it, which its `run` blocks.
final class NDT7Run {
    private let direction: Direction
    private let host: String
    private let connection: NDT7Connection
    private let timing: NDT7Timing
    private let byteLimit: UInt64?
    private let wall: ContinuousClock.Instant
    private let signal: LoopSignal
    private let start = ContinuousClock.now
    /// The bytes of the test before this direction.
    private let bytesBefore: UInt64
    private let duplicates = DuplicateSegments()

    private var reader = WebSocketReader(from: .server, binaryLimit: NDT7.maximumMessage)
    private var buffer = [UInt8](repeating: 0, count: 262_144)
    private var output: NDT7Output
    private var traffic: NDT7Traffic
    private var tally: NDT7Tally
    /// Of load, as payload of the WebSocket.
    private var received: UInt64 = 0
    private var lastReceived = Duration.zero
    /// The maximum bytes that the server had beyond a lost segment since its last measurement.
    private var beyondHole: UInt64 = 0
    /// When the count of the direction last grew.
    private var lastGrowth = Duration.zero
    private var end: NDT7Tally.End?
    /// The server has sent its Close.
    private var isAnswered = false

    /// - Parameters:
    ///   - direction: the direction of the load.
    ///   - connection: just opened.
    ///   - host: for messages.
    ///   - options: of the test.
    ///   - timing: its time limits and intervals.
    ///   - wall: when it ends at the latest.
    ///   - account: counts every byte.
    ///   - signal: ends it when it is stopped.
    init(
        _ direction: Direction,
        on connection: consuming NDT7Connection,
        host: String,
        options: SpeedTestOptions,
        timing: NDT7Timing,
        wall: ContinuousClock.Instant,
        account: TrafficAccount,
        signal: LoopSignal
    ) {
        self.connection = connection
        (self.direction, self.host) = (direction, host)
        self.timing = timing
        self.wall = wall
        self.signal = signal
        byteLimit = options.byteLimit[direction]
        output = NDT7Output(loads: direction == .upload, masks: true, limit: byteLimit.map(SpeedTestBudget.payload))
        tally = NDT7Tally(direction, options: options, timing: timing)
        traffic = NDT7Traffic(account)
        bytesBefore = account.bytes.total
    }

    /// The address of the server.
    var address: IPAddress? { connection.bytes.address }

    private var elapsed: Duration { start.duration(to: .now) }

    /// Measures; calls `progress` about ten times a second.
    func run(progress: (SpeedTestProgress) -> Void) throws(SpeedTestFailure) -> DirectionReport {
        defer { close() }
        let rest = connection.rest
        take(rest.span.bytes)
        var nextSample = timing.sample
        while end == nil {
            guard !signal.isStopped else { throw SpeedTestFailure(.cancelled, "the test was stopped") }
            let hasReceived = receive()
            let hasSent = send()
            let now = elapsed
            if end == nil, now >= nextSample {
                end = sample(at: now)
                nextSample = now + timing.sample
                progress(step(at: now))
            }
            if ContinuousClock.now >= wall { end = end ?? .wall }
            guard now - lastGrowth < timing.silence else {
                throw SpeedTestFailure(.timeout, "\(host): no byte has moved for \(timing.silence)")
            }
            if end == nil, !hasReceived, !hasSent {
                let timeout = min(nextSample - now, ContinuousClock.now.duration(to: wall))
                connection.bytes.wait(forRoom: output.wantsRoom, upTo: timeout, or: signal)
            }
        }
        // The window ends with the last byte, not with the silence of the other side.
        _ = sample(at: direction == .download && end == .closed ? lastReceived : elapsed)
        let congestionControl = SocketOptions.congestionControl(of: connection.bytes.socket)
        return try tally.report(
            end ?? .closed,
            host: host,
            congestionControl: congestionControl,
            counters: hostCounters(at: elapsed),
            duplicates: duplicates.count
        )
    }

    private func sample(at time: Duration) -> NDT7Tally.End? {
        let info = traffic.update(from: connection.bytes.socket)
        beyondHole = max(beyondHole, info?.bytesBeyondHole ?? 0)
        let bytes = direction == .download ? received : info.map { $0.bytesAcknowledged &+ $0.bytesBeyondHole } ?? 0
        if bytes > tally.window.end.bytes { lastGrowth = time }
        let roundTrip = info.flatMap { $0.roundTrip > 0 ? Duration.microseconds(Int64($0.roundTrip)) : nil }
        let verdict = tally.sample(
            bytes: bytes,
            segments: direction == .download ? info?.segmentBytes : nil,
            segmentSize: info?.receivedSegmentSize ?? 0,
            at: time,
            roundTrip: roundTrip,
            sending: info.map { .microseconds(Int64(clamping: $0.busyTime)) },
            counters: hostCounters(at: time)
        )
        // What is sent again is not load.
        let isUsedUp = direction == .upload && traffic.account.bytes.total - bytesBefore >= byteLimit ?? .max
        return isUsedUp ? .byteLimit : verdict
    }

    /// The counters of this moment.
    private func hostCounters(at time: Duration) -> HostCounters {
        let thread = ThreadClock.ofThisThread()?.reading
        return HostCounters(
            time: time,
            busy: thread?.busy ?? ThreadClock.now,
            traffic: HostCounters.Traffic(direction, of: traffic.account),
            contention: .read(for: thread)
        )
    }

    private func step(at time: Duration) -> SpeedTestProgress {
        SpeedTestProgress(
            .init(direction),
            fraction: min(1, time / NDT7.nominalDuration),
            rate: BitRate(bytesPerSecond: tally.window.currentRate)
        )
    }

    /// Sends a Close, waits for the server's, and drops bytes that have not been sent by then.
    private func close() {
        output.close(.normal)
        let byteLimit = direction == .download ? byteLimit : nil
        let farewell = NDT7Farewell(after: end, at: .now, wall: wall, byteLimit: byteLimit)
        var isOpen = hasSentPiece()
        while isOpen, !signal.isStopped, let remaining = farewell?.remaining(farewellState, at: .now) {
            connection.bytes.wait(forRoom: output.wantsRoom, upTo: remaining, or: signal)
            isOpen = drain() && hasSentPiece()
            traffic.update(from: connection.bytes.socket)
        }
        if direction == .upload, !output.isClosed { connection.bytes.dropUnsent() }
        traffic.end(connection.bytes.socket, rest: direction == .upload || isAnswered ? 0 : nil)
    }

    private var farewellState: NDT7Farewell.State {
        .init(isClosed: output.isClosed, isAnswered: isAnswered, moved: traffic.moved &+ traffic.underWay)
    }

    /// Sends what the kernel takes; false where the connection has failed.
    private func hasSentPiece() -> Bool {
        (try? output.send { piece throws(TransferError) in try connection.bytes.send(piece) }) != nil
    }

    /// Reads what arrives after the measurement; false at the end of the connection.
    private func drain() -> Bool {
        for _ in 0..<16 {
            guard let found = try? connection.bytes.receive(into: &buffer), found != .end else { return false }
            guard case .bytes(let count) = found else { return true }
            take(buffer.span.bytes.extracting(0..<count))
        }
        return true
    }
}

// MARK: Bytes

extension NDT7Run {
    /// Reads what has arrived, in at most 16 turns; returns whether there was something.
    private func receive() -> Bool {
        for turn in 0..<16 {
            guard end == nil else { return true }
            do throws(TransferError) {
                switch try connection.bytes.receive(into: &buffer) {
                case .nothing: return turn > 0
                case .end: end = .closed
                case .bytes(let count):
                    lastReceived = elapsed
                    take(buffer.span.bytes.extracting(0..<count))
                    checkByteLimit()
                }
            } catch {
                end = .broken(error.message)
            }
        }
        return true
    }

    private func take(_ bytes: RawSpan) {
        var events: [WebSocketEvent] = []
        do throws(WebSocketError) {
            try reader.read(bytes) { event in
                if case .binary(let count) = event { received += UInt64(count) } else { events.append(event) }
            }
        } catch {
            refuse(error)
        }
        for event in events { handle(event) }
        if direction == .upload, received > 0 {
            refuse(WebSocketError(.unsupportedData, "it sent load in the wrong direction"))
        }
    }

    private func handle(_ event: WebSocketEvent) {
        switch event {
        case .text(let text):
            // Any other text may be ignored.
            guard let message = NDT7Message(json: text) else { return }
            let info = TCPStatistics(of: connection.bytes.socket)
            beyondHole = max(beyondHole, info?.bytesBeyondHole ?? 0)
            let held = info.map { $0.bytesAcknowledged &+ $0.bytesBeyondHole } ?? 0
            tally.add(message, at: elapsed, written: output.loadSent, held: held, beyondHole: beyondHole)
            beyondHole = info?.bytesBeyondHole ?? 0
        case .ping(let payload): output.pong(payload)
        case .close:
            isAnswered = true
            end = end ?? .closed
        case .binary, .binaryEnd, .pong: break
        }
    }

    private func refuse(_ error: WebSocketError) {
        output.close(error.code)
        end = .broken("\(host): \(error.message)")
    }

    private func checkByteLimit() {
        guard direction == .download, let byteLimit else { return }
        traffic.update(from: connection.bytes.socket)
        // What arrives until the server has read the Close, and as much again where the connection is reset instead.
        if traffic.moved &+ 2 &* min(traffic.underWay, byteLimit / 8) >= byteLimit { end = end ?? .byteLimit }
    }

    private func send() -> Bool {
        guard end == nil else { return false }
        do throws(TransferError) {
            let hasSent = try output.send { piece throws(TransferError) in try connection.bytes.send(piece) }
            if direction == .upload, output.isUsedUp { end = .byteLimit }
            return hasSent
        } catch {
            // Reads what the other side sent before it closed.
            _ = receive()
            // The error has been taken from the socket, whose end looks orderly from then on.
            if end == nil || end == .closed && !isAnswered { end = .broken(error.message) }
            return false
        }
    }
}
