import Locking
import Posix

/// One SQLite database in a file, or in memory, with a thread of its own.
///
/// A file has one process that writes; others may read it meanwhile (`readOnly(file:)`). It is for its owner alone
/// (mode 0600), and has up to three others beside it: `-wal`, `-shm` and `.lock`.
package final class Database: Sendable {
    private let queue: WorkQueue
    private let thread: Locked<LoopThread?>

    /// Opens a database and brings its tables up to date.
    ///
    /// Blocks: on 100 MB about a quarter of a second, if the last process that had the file was killed.
    ///
    /// - Parameters:
    ///   - file: Made where there is none, in a folder that must exist; nil: in memory.
    ///   - migrations: All there ever were, in their order.
    ///   - busyTimeout: How long another program's transaction is waited for.
    ///   - onEvent: Told what an operator should read, before this returns.
    /// - Throws: When the file cannot be had, or is another program's or a later version's; then it is as before.
    package convenience init(
        file: String?,
        migrations: [Migration],
        busyTimeout: Duration = .seconds(5),
        onEvent: @Sendable (StorageEvent) -> Void = { _ in }
    ) throws(StorageError) {
        let session =
            if let file {
                try Session.opening(file, migrations, busyTimeout: busyTimeout, onEvent: onEvent)
            } else {
                try Session.inMemory(migrations)
            }
        try self.init(session, file)
    }

    /// Opens a file that another process may be writing; whatever writes throws.
    package static func readOnly(file: String) throws(StorageError) -> Database {
        try Database(Session.reading(file, busyTimeout: .seconds(5)), file)
    }

    private init(_ session: sending Session, _ file: String?) throws(StorageError) {
        let session = Locked(session)
        do throws(SystemError) {
            let queue = try WorkQueue(file: file)
            self.queue = queue
            thread = Locked(
                try LoopThread(name: "storage") {
                    while let work = queue.next() { session.withLock { $0.perform(work) } }
                    session.withLock { $0.close() }
                }
            )
        } catch {
            throw StorageError(file, error)
        }
    }

    deinit {
        queue.close()
        // The last owner may be a closure on the thread itself, which then cannot be waited for.
        thread.withLock { $0.take() }?.detach()
    }

    /// How many pieces of work wait for the thread.
    package var waiting: Int { queue.count }

    /// Writes in a transaction on the database's thread; returns when it is on the disk.
    ///
    /// What waits at the same time shares one commit; of these, one that throws undoes only its own statements, and an
    /// error of the commit is everybody's. It is done even when the task is cancelled meanwhile.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { queue.add(AwaitedWork(writes: true, $0, body)) }
    }

    /// Reads in a transaction on the database's thread, of what is on the disk; a statement that writes throws.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { queue.add(AwaitedWork(writes: false, $0, body)) }
    }

    /// Ends what waits with an error, lets what runs end and commit, and closes the file; may be repeated.
    ///
    /// Blocks for as long as that takes: never call it from a transaction.
    package func close() {
        queue.close()
        let thread = thread.withLock { $0.take() }
        thread?.join()
    }
}
