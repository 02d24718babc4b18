import CLinux
import Glibc
import Posix
import Testing

// No test sets the machine's clock, and a time namespace has no wall clock of its own.
struct ClockWatchTests {
    @Test func `the kernel gives such a timer, and is silent while nobody sets the clock`() throws {
        let watch = try ClockWatch()
        var descriptors = [pollfd(fd: watch.number, events: Int16(POLLIN), revents: 0)]
        #expect(poll(&descriptors, 1, 0) == 0)
        #expect(!watch.drain())
    }

    @Test(.timeLimit(.minutes(3))) func `it ends with its task`() async throws {
        let (ends, ended) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await ClockWatch.run {}
            ended.yield()
        }
        task.cancel()
        for await _ in ends { break }
        try await task.value
    }
}
