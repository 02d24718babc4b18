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
