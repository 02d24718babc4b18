import Coordination

/// The body of a request: all copies of the request share it, and its share of the memory for bodies.
final class RequestBody: Sendable {
    private let bytes: Locked<[UInt8]>
    /// nil: not counted.
    private let memory: BodyMemory?
    private let reserved = Locked(0)

    /// - Parameters:
    ///   - memory: What the bytes count for.
    ///   - capacity: The length that the client has announced.
    init(_ memory: BodyMemory, capacity: Int) {
        var bytes: [UInt8] = []
        // Memory that nothing was written to takes no room.
        bytes.reserveCapacity(capacity)
        self.bytes = Locked(bytes)
        self.memory = memory
    }

    /// A complete one that is not counted.
    init(_ bytes: [UInt8]) {
        self.bytes = Locked(bytes)
        memory = nil
    }

    deinit { memory?.release(reserved.withLock { $0 }) }

    var count: Int { bytes.withLock { $0.count } }

    var all: [UInt8] { bytes.withLock { $0 } }

    /// Removes and returns the bytes, which stay counted.
    func take() -> [UInt8] {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    /// Adds bytes; returns false where there is no memory for them.
    func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard memory?.reserve(piece.count) ?? true else { return false }
        reserved.withLock { $0 += piece.count }
        bytes.withLock { $0.append(contentsOf: piece) }
        return true
    }
}

/// The memory that the bodies of all requests take.
final class BodyMemory: Sendable {
    /// For a moment there are as many copies of a body that a handler decodes and stores: the bytes received, their text, what
    /// it decodes to, and what the database writes.
    private static let copies = 4

    private let limit: Int
    private let used = Locked(0)

    init(limit: Int) { self.limit = limit }

    /// Whether there is room for so many more bytes, which then count.
    func reserve(_ count: Int) -> Bool {
        used.withLock { used in
            guard count <= (limit - used) / Self.copies else { return false }
            used += Self.copies * count
            return true
        }
    }

    func release(_ count: Int) { used.withLock { $0 -= Self.copies * count } }
}
