import Coordination
import Foundation
import Testing

@testable import NetworkHealthExporter

/// A client that leaves cancels the task that reads for it.
///
/// The cancellation has the task's lock when it takes that of the log, and an event takes the task's lock to resume it: with the log's lock held,
/// both wait for ever, and all other readers with them.
@Suite(.timeLimit(.minutes(3)))
struct EventDeliveryTests {
    private let log = EventLog()

    @Test func `a reader is resumed under no lock of the log`() async throws {
        let reader = try #require(log.follow())
        let executor = WatchingExecutor { [log] in log.isFree }
        let task = Task(executorPreference: executor) { await reader.events.first { _ in true } }
        await executor.wait()
        log.publish(.transition, [7])
        #expect(await task.value?.data == [7])
        // The first time for its start.
        #expect(executor.found == [true, true])
    }
}

extension EventLog {
    /// Whether another thread gets an answer.
    fileprivate var isFree: Bool {
        let hasAnswered = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = self.readerCount
            hasAnswered.signal()
        }
        return hasAnswered.wait(timeout: .now() + 10) == .success
    }
}

/// Runs the pieces of a task, and looks at something on the thread that resumes it.
private final class WatchingExecutor: TaskExecutor {
    private let look: @Sendable () -> Bool
    private let all = Locked<[Bool]>([])
    private let (pauses, pause) = AsyncStream<Void>.makeStream()

    init(_ look: @escaping @Sendable () -> Bool) { self.look = look }

    /// What it saw at each start and resumption.
    var found: [Bool] { all.withLock { $0 } }

    /// Waits until the task waits.
    func wait() async { for await _ in pauses { break } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFound = look()
        all.withLock { $0.append(isFound) }
        Thread.detachNewThread {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.pause.yield()
        }
    }
}
