/// What one side sends, frame after frame: load where it has to, pongs, measurements, and a Close as the last.
struct NDT7Output {
    private let loads: Bool
    private let masks: Bool
    /// Bytes of load with its headers; nil: no limit.
    private let limit: UInt64?
    private var size = NDT7MessageSize()
    /// The frame under way: its bytes that are not load, then so many of load.
    private var head: [UInt8] = []
    private var headSent = 0
    private var payload = 0
    private var payloadSent = 0
    /// Answers only the newest ping, as RFC 6455 allows.
    private var pong: [UInt8]?
    private var text: String?
    private var closing: [UInt8]?
    private var hasEnded = false
    /// Bytes of load and its headers handed over so far.
    private(set) var loadSent: UInt64 = 0

    init(loads: Bool, masks: Bool, limit: UInt64? = nil) {
        self.loads = loads
        self.masks = masks
        self.limit = limit
    }

    mutating func pong(_ payload: [UInt8]) { pong = payload }

    /// Takes the place of one that has not been sent yet.
    mutating func text(_ text: String) { self.text = text }

    /// Ends the output after the frame under way; the first one counts.
    mutating func close(_ code: WebSocketCloseCode, _ reason: String = "") {
        closing = closing ?? WebSocketFrame.close(code, reason, mask: mask)
    }

    /// Whether there is something to send.
    var wantsRoom: Bool {
        isInFrame || !hasEnded && (closing != nil || pong != nil || text != nil || loads && !isUsedUp)
    }

    /// The Close has been sent.
    var isClosed: Bool { hasEnded && !isInFrame }

    /// As much load as may be sent has been.
    var isUsedUp: Bool { !isInFrame && room < UInt64(Self.smallestLoad) }

    /// A message shorter than the protocol's shortest is not worth the name.
    private static let smallestLoad = 1024 + WebSocketFrameHeader.maximumByteCount

    private var room: UInt64 { limit.map { $0 - min($0, loadSent) } ?? .max }
    private var isInFrame: Bool { headSent < head.count || payloadSent < payload }
    private var mask: UInt32? { masks ? .random(in: .min ... .max) : nil }

    /// Hands over what there is until `write` takes nothing more, or for so many turns; whether it took something.
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

    /// Hands over the head of the frame, or what follows it.
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

    /// Takes the next frame, the most urgent first; false where there is none.
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

/// How long the next load message is: short at first, so that slow paths see an end of one now and then.
struct NDT7MessageSize {
    static let initial = 1 << 13
    /// Receivers take up to 2^24; every known sender stops here.
    static let maximum = 1 << 20

    private(set) var current = initial

    /// The next one, after `total` bytes of load: doubled while it is at most a sixteenth of that.
    mutating func next(total: UInt64) -> Int {
        if current < Self.maximum, UInt64(current) <= total / 16 { current *= 2 }
        return current
    }
}
