import Coordination

/// Bytes that are a part of many bodies; the server compresses them once.
public final class BodyPart: Sendable {
    /// The part as it is without compression.
    public let bytes: [UInt8]
    private let compressed = Locked<GzipBlocks?>(nil)

    /// A part of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// On the event thread, which has the stream.
    func blocks(_ gzip: borrowing Gzip) -> GzipBlocks? {
        if let blocks = compressed.withLock({ $0 }) { return blocks }
        let blocks = gzip.blocks(bytes)
        compressed.withLock { $0 = blocks }
        return blocks
    }
}

extension Response.Body {
    /// nil for one that is not in memory.
    var size: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .parts(let parts): parts.reduce(0) { $0 + $1.bytes.count }
        case .stream, .repeating, .upgrade: nil
        }
    }
}

extension Gzip {
    /// The body as one gzip member; nil when it would not be smaller, is not in memory, or zlib failed.
    func compress(_ body: Response.Body) -> [UInt8]? {
        var blocks: [GzipBlocks?] = []
        switch body {
        case .bytes(let bytes): blocks = [self.blocks(bytes)]
        case .parts(let parts): for part in parts { blocks.append(part.blocks(self)) }
        case .stream, .repeating, .upgrade: return nil
        }
        guard let size = body.size, blocks.allSatisfy({ $0 != nil }) else { return nil }
        let member = GzipBlocks.member(blocks.compactMap(\.self))
        return member.count < size ? member : nil
    }
}
