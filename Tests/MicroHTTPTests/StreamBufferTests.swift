import Coordination
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct StreamBufferTests {
    private func take(_ buffer: StreamBuffer, _ count: Int) -> (StreamBuffer.Taken, [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: count)
        let taken = bytes.withUnsafeMutableBytes { buffer.take(into: $0) }
        guard case .bytes(let length) = taken else { return (taken, []) }
        return (taken, Array(bytes.prefix(length)))
    }

    @Test func `gives bytes in order, then the end`() async throws {
        let buffer = StreamBuffer(capacity: 100) {}
        #expect(take(buffer, 4).0 == .nothingYet)
        try await buffer.write([1, 2, 3])
        try await buffer.write([4, 5])
        buffer.finish(isFailed: false)
        #expect(take(buffer, 4).1 == [1, 2, 3, 4])
        #expect(take(buffer, 4).1 == [5])
        #expect(take(buffer, 4).0 == .end)
    }

    @Test func `Distinguishes a failure from the end`() async throws {
        let buffer = StreamBuffer(capacity: 100) {}
        buffer.finish(isFailed: true)
        #expect(take(buffer, 4).0 == .failure)
    }

    @Test func `Suspends a writer at its capacity`() async throws {
        let (changes, change) = AsyncStream<Void>.makeStream()
        let buffer = StreamBuffer(capacity: 4) { change.yield() }
        let written = Locked(0)
        let task = Task {
            for _ in 0..<5 {
                try await buffer.write([1, 2, 3])
                written.withLock { $0 += 1 }
            }
        }
        var total = 0
        for await _ in changes {
            #expect(buffer.count <= 4 + 3)
            if case .bytes(let count) = take(buffer, 100).0 { total += count }
            if total == 15 { break }
        }
        try await task.value
        #expect(written.withLock { $0 } == 5)
    }

    @Test func `keeps no more than its backlog for a reader that never catches up`() async throws {
        let buffer = StreamBuffer(capacity: 1000) {}
        var expected: [UInt8] = []
        var received: [UInt8] = []
        var most = 0
        for number in 0..<1000 {
            let chunk = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
            expected += chunk
            try await buffer.write(chunk)
            // From the tenth on as much is taken as is written, and 900 bytes stay.
            if number >= 9 { received += take(buffer, 100).1 }
            most = max(most, buffer.storedBytes)
        }
        #expect(most <= 2000)
        received += take(buffer, 10_000).1
        #expect(received == expected)
    }

    @Test func `Ends a suspended writer when the reader has gone`() async throws {
        let buffer = StreamBuffer(capacity: 1) {}
        try await buffer.write([1])
        let task = Task { try await buffer.write([2]) }
        buffer.close()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `Ends a suspended writer when it is cancelled`() async throws {
        let buffer = StreamBuffer(capacity: 1) {}
        try await buffer.write([1])
        let task = Task { try await buffer.write([2]) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
