/// A streamed response on the side of the event thread, from which libmicrohttpd reads the next bytes.
final class ResponseStream: PulledBody {
    static let bytesPerRead = 16_384

    var length: UInt64? { nil }
    var blockSize: Int { Self.bytesPerRead }
    private let handle: ConnectionHandle
    private let suspension: Suspension
    private let buffer: StreamBuffer

    /// Starts the task that writes.
    init(
        _ produce: @escaping @Sendable (StreamWriter) async throws -> Void,
        tasks: RequestTasks,
        handle: ConnectionHandle,
        suspension: Suspension,
        capacity: Int
    ) {
        self.handle = handle
        self.suspension = suspension
        let buffer = StreamBuffer(capacity: capacity) { suspension.resume() }
        self.buffer = buffer
        let task = tasks.start {
            do {
                try await produce(StreamWriter(buffer: buffer))
                buffer.finish(isFailed: false)
            } catch {
                buffer.finish(isFailed: true)
            }
        }
        suspension.own(task)
    }

    func read(at position: UInt64, into target: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            switch buffer.take(into: target) {
            case .bytes(let count): return count
            case .end: return endOfStream
            case .failure: return endWithError
            case .nothingYet:
                if suspension.isAborted { return endWithError }
                if suspension.suspend(handle) { return 0 }
            }
        }
    }

    func close() {
        buffer.close()
        suspension.abort()
    }
}

/// Takes the chunks of a streamed response from its task.
public struct StreamWriter: Sendable {
    let buffer: StreamBuffer

    /// Writes a chunk; waits while `Configuration.streamBuffer` bytes or more are unsent.
    ///
    /// Throws `CancellationError` once the client has gone or the server stops: let it end the task.
    public func write(_ chunk: [UInt8]) async throws { try await buffer.write(chunk) }
}
