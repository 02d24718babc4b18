import CMicroHTTPD
import Glibc
import Posix

/// Moves the bytes of an upgraded connection between its TLS session and a socket pair, on a thread of its own.
///
/// libmicrohttpd can do that, too: in 0.9.75 with four bytes in each record, on the event thread.
struct TLSPump {
    /// How long the client may take nothing of what is left after the other end of the pair has been closed, and all of it.
    private static let (stallLimit, flushLimit): (Duration, Duration) = (.seconds(2), .seconds(8))
    private static let bufferSize = 65_536

    private let session: TLSSession
    private let connection: Int32
    /// This end of the pair, non-blocking.
    private let plain: Int32
    /// To the client.
    private var outgoing: PumpBuffer
    /// From the client.
    private var incoming = PumpBuffer(capacity: bufferSize)
    private var isClientDone = false
    /// When the other end of the pair was closed; what it sent may still be in the pair.
    private var closed: ContinuousClock.Instant?
    /// When the client took something last.
    private var lastTaken = ContinuousClock.now
    /// Whether all that the other end sent was taken.
    private var isDrained = false

    /// `head` is sent first.
    init(_ session: TLSSession, connection: Int32, plain: Int32, head: [UInt8]) {
        (self.session, self.connection, self.plain) = (session, connection, plain)
        outgoing = PumpBuffer(capacity: max(Self.bufferSize, head.count))
        outgoing.append(head)
    }

    /// Runs until the other end of the pair is closed and what it has sent is on its way.
    mutating func run() {
        while true {
            var waits = [Int32: Int16]()
            let hasMoved = [send(&waits), takeFromPair(&waits), receive(&waits), giveToPair(&waits)].contains(true)
            if closed != nil, outgoing.isEmpty && isDrained || isLate { break }
            if !hasMoved { wait(waits) }
        }
        session.end()
    }

    /// Whether what is left is given up.
    private var isLate: Bool {
        guard let closed else { return false }
        return closed.duration(to: .now) > Self.flushLimit
            || max(closed, lastTaken).duration(to: .now) > Self.stallLimit
    }

    private mutating func send(_ waits: inout [Int32: Int16]) -> Bool {
        guard !outgoing.isEmpty else { return false }
        switch outgoing.withBytes({ [session] in session.send($0) }) {
        case .moved(let count):
            outgoing.drop(count)
            lastTaken = .now
        case .blocked:
            waits[connection, default: 0] |= Int16(POLLOUT)
            return false
        case .ended: fail()
        }
        return true
    }

    private mutating func takeFromPair(_ waits: inout [Int32: Int16]) -> Bool {
        guard outgoing.isEmpty, !isDrained else { return false }
        let count = outgoing.withRoom { [plain] in recv(plain, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        if count > 0 {
            outgoing.fill(count)
        } else if count < 0, errno == EAGAIN {
            waits[plain, default: 0] |= Int16(POLLIN)
            return false
        } else if count == 0 || errno != EINTR {
            isDrained = true
            closed = closed ?? .now
        }
        return true
    }

    private mutating func receive(_ waits: inout [Int32: Int16]) -> Bool {
        guard incoming.isEmpty, !isClientDone else { return false }
        switch incoming.withRoom({ [session] in session.receive($0) }) {
        case .moved(let count): incoming.fill(count)
        case .blocked:
            waits[connection, default: 0] |= Int16(POLLIN)
            return false
        case .ended:
            isClientDone = true
            shutdown(plain, Int32(SHUT_WR))
        }
        return true
    }

    private mutating func giveToPair(_ waits: inout [Int32: Int16]) -> Bool {
        guard !incoming.isEmpty else { return false }
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        let count = incoming.withBytes { [plain] in Glibc.send(plain, $0.baseAddress, $0.count, flags) }
        if count >= 0 {
            incoming.drop(count)
        } else if errno == EAGAIN {
            waits[plain, default: 0] |= Int16(POLLOUT)
            return false
        } else if errno != EINTR {
            // The other end reads no more.
            incoming.clear()
        }
        return true
    }

    /// The connection is broken: the other end of the pair learns it by its next call.
    private mutating func fail() {
        outgoing.clear()
        isClientDone = true
        shutdown(plain, Int32(SHUT_RDWR))
    }

    private mutating func wait(_ waits: [Int32: Int16]) {
        var descriptors = waits.map { pollfd(fd: $0.key, events: $0.value, revents: 0) }
        // A client that takes nothing must not hide that the other end has closed.
        if closed == nil, waits[plain] == nil { descriptors.append(pollfd(fd: plain, events: 0, revents: 0)) }
        Poll.wait(for: &descriptors, upTo: closed == nil ? nil : .milliseconds(100))
        if closed == nil, descriptors.contains(where: { $0.fd == plain && $0.revents & Int16(POLLHUP) != 0 }) {
            closed = .now
        }
    }
}

/// Bytes on their way, in memory of a fixed size.
struct PumpBuffer {
    private var bytes: [UInt8]
    private var range = 0..<0

    init(capacity: Int) { bytes = [UInt8](repeating: 0, count: capacity) }

    var isEmpty: Bool { range.isEmpty }

    /// Into an empty buffer; what does not fit is left out.
    mutating func append(_ new: [UInt8]) {
        let count = min(new.count, bytes.count)
        bytes.replaceSubrange(0..<count, with: new[..<count])
        range = 0..<count
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// For an empty buffer: all of it.
    mutating func withRoom<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeMutableBytes { body($0) }
    }

    /// Notes how much of the room was filled.
    mutating func fill(_ count: Int) { range = 0..<count }

    /// Removes bytes at the beginning.
    mutating func drop(_ count: Int) { range = (range.lowerBound + count)..<range.upperBound }

    mutating func clear() { range = 0..<0 }
}
