import Glibc
import Lab
import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(3)))
struct SuspensionTests {
    /// Not a connection: falling asleep with it would crash.
    private func nobody() throws -> ConnectionHandle {
        ConnectionHandle(pointer: try #require(OpaquePointer(bitPattern: 8)))
    }

    @Test func `does not lose a wake-up that comes before the sleep`() throws {
        let suspension = Suspension()
        suspension.resume()
        #expect(!suspension.suspend(try nobody()))
        #expect(!suspension.isSuspended)
    }

    @Test func `never sleeps after its end`() throws {
        let suspension = Suspension()
        suspension.abort()
        #expect(!suspension.suspend(try nobody()))
        #expect(!suspension.suspend(try nobody()))
        #expect(suspension.isAborted)
    }

    @Test func `cancels a task that it is given after its end`() async {
        let suspension = Suspension()
        suspension.abort()
        let task = Task { await endOfTask() }
        suspension.own(task)
        await task.value
    }

    /// The client's hang-up is not looked for on such a connection, and its wait would last to its end.
    @Test func `ends at once on a connection that was shut down in favour of another one`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let connection = Connection(descriptor: ends[0], peer: "192.0.2.1", now: .now)
        let suspension = Suspension()
        connection.own(suspension)
        #expect(!suspension.isAborted)
        #expect(connection.evict(message: []))
        #expect(suspension.isAborted)
        let late = Suspension()
        connection.own(late)
        #expect(late.isAborted)
    }
}
