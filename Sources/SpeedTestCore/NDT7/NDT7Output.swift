/// The output of one side, frame by frame: load, pongs, measurements, and a Close as the last.
struct NDT7Output {
    private let loads: Bool
    private let masks: Bool
    /// Bytes of load with its headers; nil: no limit.
    private let limit: UInt64?
    private var size = NDT7MessageSize()
    /// The present frame: its bytes that are not load, then `payload` bytes of load.
    private var head: [UInt8] = []
    private var headSent = 0
    private var payload = 0
    private var payloadSent = 0
    /// Only the newest ping is answered, as RFC 6455 allows.
    private var pong: [UInt8]?
    private var text: String?
    private var closing: [UInt8]?
    private var hasEnded = false
    /// Bytes of load and its headers that were sent so far.
    private(set) var loadSent: UInt64 = 0

    init(loads: Bool, masks: Bool, limit: UInt64? = nil) {
        self.loads = loads
        self.masks = masks
        self.limit = limit
    }

    mutating func pong(_ payload: [UInt8]) { pong = payload }

    /// Replaces a text that has not been sent yet.
    mutating func text(_ text: String) { self.text = text }

    /// Ends the output after the present frame; the first Close counts.
    mutating func close(_ code: WebSocketCloseCode, _ reason: String = "") {
        closing = closing ?? WebSocketFrame.close(code, reason, mask: mask)
    }

    /// Whether there is something to send.
    var wantsRoom: Bool {
        isInFrame || !hasEnded && (closing != nil || pong != nil || text != nil || loads && !isUsedUp)
    }

    /// The Close has been sent.
    var isClosed: Bool { hasEnded && !isInFrame }

    /// The byte limit has been sent.
    var isUsedUp: Bool { !isInFrame && room < UInt64(Self.smallestLoad) }

    /// The protocol's shortest message, with its header.
    private static let smallestLoad = 1024 + WebSocketFrameHeader.maximumByteCount

    private var room: UInt64 { limit.map { $0 - min($0, loadSent) } ?? .max }
    private var isInFrame: Bool { headSent < head.count || payloadSent < payload }
    private var mask: UInt32? { masks ? .random(in: .min ... .max) : nil }

    /// Passes the output to `write` until that takes no more, in at most 16 turns; returns whether it took something.
    mutating func send<Failure: Error>(
        _ write: (RawSpan) throws(Failure) -> Int
    ) throws(Failure) -> Bool {
        for turn in 0..<16 {
            guard isInFrame || begin() else { return turn > 0 }
            let count = try sendPiece(write)
            if count == 0 { return turn > 0 }
        }
        return true
    }

    /// Writes the head of the frame, or its load.
    private mutating func sendPiece<Failure: Error>(
        _ write: (RawSpan) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        let count: Int
        if headSent < head.count {
            count = try write(head.span.bytes.extracting(headSent..<head.count))
            headSent += count
        } else {
            let load = NoiseBuffer.shared
            count = try write(load.span.bytes.extracting(payloadSent..<payload))
            payloadSent += count
        }
        if payload > 0 { loadSent += UInt64(count) }
        return count
    }

    /// Begins the next frame, the most urgent first; false without one.
    private mutating func begin() -> Bool {
        guard !hasEnded else { return false }
        (head, headSent, payloadSent, payload) = ([], 0, 0, 0)
        if let frame = closing {
            head = frame
            hasEnded = true
        } else if let answer = pong.take() {
            head = WebSocketFrame.pong(answer, mask: mask)
        } else if let text = text.take() {
            head = WebSocketFrame.text(text, mask: mask)
        } else if loads, !isUsedUp {
            let room = Int(clamping: room) - WebSocketFrameHeader.maximumByteCount
            payload = min(size.next(total: loadSent), room)
            head = WebSocketFrameHeader(.binary, payloadLength: UInt64(payload), mask: mask).encoded
        } else {
            return false
        }
        return true
    }
}

/// The length of the next load message: short at first, so that a message also ends in time on a slow path.
struct NDT7MessageSize {
    static let initial = 1 << 13
    /// Receivers accept up to 2^24; all known senders use at most this.
    static let maximum = 1 << 20

    private(set) var current = initial

    /// The next length after `total` bytes of load: doubled while it is at most a sixteenth of that.
    mutating func next(total: UInt64) -> Int {
        if current < Self.maximum, UInt64(current) <= total / 16 { current *= 2 }
        return current
    }
}
