/// A body of any length that takes no memory: one buffer, over and over.
///
/// It is sent with `Content-Length`, as fast as the client reads it; `HEAD` gets only the length.
public struct RepeatedBytes: Sendable {
    /// Sent repeatedly from its start; 1 MiB is a good size, and all responses can share it.
    public var buffer: [UInt8]
    /// Bytes of the whole body; an empty buffer makes an empty body.
    public var count: UInt64
    /// The time from the response to the end of its body, after which the connection is closed; nil: no deadline.
    public var deadline: Duration?
    /// Called before this many more bytes are sent, on the event thread, so be brief; false closes the connection.
    public var onSend: @Sendable (_ count: Int) -> Bool = { _ in true }
    /// Called once at the end, on the event thread; false when the body was cut.
    public var onEnd: @Sendable (_ isComplete: Bool) -> Void = { _ in }

    /// A body of `count` bytes.
    public init(_ buffer: [UInt8], count: UInt64, deadline: Duration? = nil) {
        self.buffer = buffer
        self.count = buffer.isEmpty ? 0 : count
        self.deadline = deadline
    }

    /// Copies the bytes from `position` on; returns their number, at most `target.count`.
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
final class RepeatedBody: PulledBody {
    private let bytes: RepeatedBytes
    nonisolated(unsafe) private var hasEnded = false

    init(_ bytes: RepeatedBytes) { self.bytes = bytes }

    /// Bytes that libmicrohttpd reads, and keeps, at once: as fast as larger blocks, while other connections wait half
    /// as long.
    var blockSize: Int { Int(min(max(bytes.count, 1), 131_072)) }

    var length: UInt64? { bytes.count }

    func read(at position: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = bytes.copy(from: position, into: target)
        guard count > 0, !hasEnded, bytes.onSend(count) else { return endWithError }
        return count
    }

    /// Reports the end, once.
    func end(isComplete: Bool) {
        guard !hasEnded else { return }
        hasEnded = true
        bytes.onEnd(isComplete)
    }

    func close() {}
}
