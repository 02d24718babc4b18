/// A body of any length that takes no memory: one buffer, over and over.
///
/// It is sent with `Content-Length`, as fast as the client takes it; `HEAD` gets the length alone.
public struct RepeatedBytes: Sendable {
    /// Sent from its start on, again and again; 1 MiB is a good size, and all responses may share it.
    public var buffer: [UInt8]
    /// Bytes of the whole body; an empty buffer makes an empty body.
    public var count: UInt64
    /// From the response to the end of its body, when the connection is closed; nil: however long it takes.
    public var deadline: Duration?
    /// Called before so many more bytes are given to the system, on the event thread, so be brief; false closes the
    /// connection.
    public var onSend: @Sendable (_ count: Int) -> Bool = { _ in true }
    /// Called once at the end, on the event thread; false when the body was cut.
    public var onEnd: @Sendable (_ isComplete: Bool) -> Void = { _ in }

    /// A body of `count` bytes.
    public init(_ buffer: [UInt8], count: UInt64, deadline: Duration? = nil) {
        self.buffer = buffer
        self.count = buffer.isEmpty ? 0 : count
        self.deadline = deadline
    }

    /// Copies what comes at `position`; the count of bytes, at most `target.count`.
    func copy(from position: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
        guard position < count, count > 0 else { return 0 }
        let length = Int(min(UInt64(target.count), count - position))
        return buffer.withUnsafeBytes { buffer in
            guard !buffer.isEmpty else { return 0 }
            var offset = Int(position % UInt64(buffer.count))
            var copied = 0
            while copied < length {
                let piece = buffer[offset..<min(buffer.count, offset + length - copied)]
                UnsafeMutableRawBufferPointer(rebasing: target[copied...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: piece)
                )
                copied += piece.count
                offset = 0
            }
            return copied
        }
    }
}

/// A response of repeated bytes on the event thread's side.
// Sendable by proof: the variable is touched on the event thread only.
final class RepeatedBody: Sendable {
    private let bytes: RepeatedBytes
    nonisolated(unsafe) private var hasEnded = false

    init(_ bytes: RepeatedBytes) { self.bytes = bytes }

    /// Bytes that libmicrohttpd asks for, and keeps, at once: as fast as larger ones, and others wait half as long.
    var blockSize: Int { Int(min(max(bytes.count, 1), 131_072)) }

    /// The length of the whole body.
    var count: UInt64 { bytes.count }

    /// A count of bytes, or the end with an error.
    func read(at position: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = bytes.copy(from: position, into: target)
        guard count > 0, !hasEnded, bytes.onSend(count) else { return endWithError }
        return count
    }

    /// Tells the end, once.
    func end(isComplete: Bool) {
        guard !hasEnded else { return }
        hasEnded = true
        bytes.onEnd(isComplete)
    }
}
