/// A streamed response on the event thread's side: what libmicrohttpd asks for the next bytes.
final class ResponseStream: Sendable {
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

    /// A count of bytes, 0 when the connection now sleeps, or one of the two ends.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
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

    /// Nobody reads any more.
    func end() {
        buffer.close()
        suspension.abort()
    }
}

/// Where a streamed response's task writes its chunks.
public struct StreamWriter: Sendable {
    let buffer: StreamBuffer

    /// Hands over a chunk, waiting while the client is behind by `Configuration.streamBuffer` bytes or more.
    ///
    /// Throws `CancellationError` once the client is gone or the server stops: let it end the task.
    public func write(_ chunk: [UInt8]) async throws { try await buffer.write(chunk) }
}
