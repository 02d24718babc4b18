import Testing

@testable import MicroHTTP

@Suite(.timeLimit(.minutes(1)))
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
}
