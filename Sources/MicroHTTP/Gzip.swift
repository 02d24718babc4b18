import CZlib

/// One deflate stream that is reset between texts, which costs a third of setting one up each time.
///
/// Used by one thread at a time.
struct Gzip: ~Copyable {
    /// Level 1: on metrics text 48 µs for 24 kB at a fifth of the size; level 6 takes three times as long for a tenth less.
    private static let level: Int32 = 1
    // On the heap since zlib keeps a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Fails when there is no memory for the window.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard nhe_deflate_init_raw(stream, Self.level) == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The text as blocks; nil if zlib failed.
    func blocks(_ text: [UInt8]) -> GzipBlocks? {
        guard text.count <= Int(UInt32.max) / 2, deflateReset(stream) == Z_OK else { return nil }
        // A flush adds 5 bytes to what the bound has for the end.
        let limit = Int(deflateBound(stream, UInt(text.count))) + 16
        return text.withUnsafeBytes { input in
            let input = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { output, count in
                // zlib takes a mutable pointer and only reads it.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input)
                stream.pointee.avail_in = UInt32(text.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                let isComplete = deflate(stream, Z_SYNC_FLUSH) == Z_OK && stream.pointee.avail_out > 0
                count = isComplete ? output.count - Int(stream.pointee.avail_out) : 0
            }
            guard !bytes.isEmpty else { return nil }
            return GzipBlocks(bytes: bytes, size: text.count, checksum: crc32(0, input, UInt32(text.count)))
        }
    }
}

/// A text as deflate blocks that end on a byte and refer to no earlier ones: they can be anywhere in a member (RFC 1951, 1952).
struct GzipBlocks: Sendable {
    fileprivate let bytes: [UInt8]
    /// Of the text.
    fileprivate let size: Int
    /// CRC-32 of the text.
    fileprivate let checksum: UInt

    /// No flags, no time, the fastest level, Unix.
    private static let head: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 3]
    /// A last block without content.
    private static let end: [UInt8] = [3, 0]

    /// The texts, joined, as one gzip member.
    static func member(_ parts: [GzipBlocks]) -> [UInt8] {
        var member: [UInt8] = []
        member.reserveCapacity(parts.reduce(head.count + end.count + 8) { $0 + $1.bytes.count })
        member += head
        var (size, checksum) = (0, UInt(0))
        for part in parts {
            member += part.bytes
            size += part.size
            checksum = crc32_combine(checksum, part.checksum, part.size)
        }
        member += end
        for number in [UInt32(truncatingIfNeeded: checksum), UInt32(truncatingIfNeeded: size)] {
            withUnsafeBytes(of: number.littleEndian) { member += $0 }
        }
        return member
    }
}
