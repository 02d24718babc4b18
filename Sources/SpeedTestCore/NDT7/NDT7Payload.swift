import Glibc

/// The load: random bytes, so that nothing on the way can shrink them, made once for all tests of the process.
///
/// A client's load needs no masking either: what it sends is as random as what it would have masked, and nobody reads it.
enum NDT7Payload {
    /// As long as the longest message.
    static let bytes: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: NDT7MessageSize.maximum)
        // getentropy(3) gives at most 256 at once.
        bytes.withUnsafeMutableBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 256) {
                if let base = bytes.baseAddress { _ = getentropy(base + start, 256) }
            }
        }
        return bytes
    }()
}
