/// Where a streamed response's task writes its chunks.
public struct StreamWriter: Sendable {
    let buffer: StreamBuffer

    /// Hands over a chunk, waiting while the client is behind by `Configuration.streamBuffer` bytes or more.
    ///
    /// Throws `CancellationError` once the client is gone or the server stops: let it end the task.
    public func write(_ chunk: [UInt8]) async throws { try await buffer.write(chunk) }
}
