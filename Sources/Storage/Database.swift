import Coordination
import Glibc
import Posix

/// One SQLite database in a file, or in memory, with a thread of its own.
///
/// One process writes a file; others may read it meanwhile (`readOnly(file:)`). It is for its owner alone
/// (mode 0600), and has up to four others beside it: `-wal`, `-shm`, `.lock` and `.tail`.
///
/// Where the disk is full, read-only or failing, writing throws and nothing is stored. It is tried again with each
/// write and every so often. Until then reading returns what was stored before. A file that was deleted or moved while
/// it is open is written anew.
package final class Database: Sendable {
    /// Work that may wait for the thread; more fails with an error.
    private static let capacity = 16_384

    /// A lock around the function itself would wrap it once more at each look (``Locked``).
    private struct Tail {
        var make: (@Sendable () -> [UInt8]?)?
    }

    private let file: String?
    private let mailbox: Mailbox<Work>
    /// Opened when the thread has closed the file.
    private let ended: Gate<Void>
    private let failing: Locked<StorageError?>
    /// See `keepTail`.
    private let tail: Locked<Tail>
    private static let tailInterval = Duration.seconds(1)
    /// The last bytes of `keepTail` in the process before; empty where there are none, and possibly anything.
    package let foundTail: [UInt8]

    /// Opens a database and brings its tables up to date.
    ///
    /// Blocks: on 100 MB about a quarter of a second, if the kernel ended while a process had the file.
    ///
    /// - Parameters:
    ///   - file: Made where there is none, in a folder that must exist; nil: in memory.
    ///   - schema: its tables; a file of an earlier version that no migration leads on from is moved aside.
    ///   - busyTimeout: How long another program's transaction is waited for.
    ///   - checkInterval: How often an idle database checks for its file, and tries again what failed; also the pause
    ///     after a deleted file could not be written anew.
    ///   - onEvent: Receives what an operator should read: before this returns, and later on the database's thread.
    /// - Throws: When the file cannot be had, is another program's or a later version's, or can be read or written by other
    ///   users; then it is as before. A disk that is full, read-only or failing is no such reason: see `failure`.
    package convenience init(
        file: String?,
        schema: Schema,
        busyTimeout: Duration = .seconds(5),
        checkInterval: Duration = .seconds(30),
        onEvent: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) throws(StorageError) {
        let failing = Locked<StorageError?>(nil)
        let session =
            if let file {
                try Session(
                    Opening(path: file, schema: schema, busyTimeout: busyTimeout),
                    failure: failing,
                    pause: checkInterval,
                    onEvent: onEvent
                )
            } else {
                try Session(.inMemory(schema), isReadOnly: false)
            }
        try self.init(session, file, failing, checkInterval)
    }

    /// Opens a file that another process may be writing; whatever writes throws.
    package static func readOnly(file: String) throws(StorageError) -> Database {
        let session = Session(try .reading(file, busyTimeout: .seconds(5)), isReadOnly: true)
        return try Database(session, file, Locked(nil), .zero)
    }

    private init(
        _ session: sending Session,
        _ file: String?,
        _ failing: Locked<StorageError?>,
        _ checkInterval: Duration
    ) throws(StorageError) {
        self.file = file
        self.failing = failing
        foundTail = session.foundTail
        let tail = Locked(Tail())
        self.tail = tail
        let session = Locked<Session?>(session)
        do throws(SystemError) {
            let mailbox = try Mailbox<Work>(capacity: Self.capacity)
            self.mailbox = mailbox
            let thread = try LoopThread(name: "storage") {
                // Taken out: from here on it is this thread's alone, and tasks are resumed under no lock.
                guard let session = session.withLock({ $0.take() }) else { return }
                defer { session.close() }
                var gathering = CommitGathering()
                let stopwatch = Stopwatch(.continuous)
                var (tendsAt, leavesAt) = (checkInterval, Duration.zero)
                while true {
                    let makeTail = session.isTended ? tail.withLock { $0.make } : nil
                    let due = makeTail == nil ? tendsAt : min(tendsAt, leavesAt)
                    mailbox.wait(upTo: session.isTended ? due - stopwatch.elapsed : nil)
                    while !mailbox.isStopped, gathering.continues(with: mailbox.count, now: stopwatch.elapsed) {
                        usleep(CommitGathering.pause)
                    }
                    let (work, isStopped) = mailbox.take()
                    if isStopped {
                        for work in work { work.end(StorageError.closed(file, work)) }
                        return
                    }
                    let now = stopwatch.elapsed
                    if let makeTail, leavesAt <= now {
                        leavesAt = now + Self.tailInterval
                        if let bytes = makeTail() { session.leave(bytes) }
                    }
                    if work.isEmpty, tendsAt <= now { session.tend() }
                    if !work.isEmpty || tendsAt <= now { tendsAt = now + checkInterval }
                    // What reads comes first, so that no reader gets what is not durable yet.
                    let (reading, writing) = (work.filter { !$0.writes }, work.filter(\.writes))
                    if !reading.isEmpty { for outcome in session.read(reading) { outcome.end() } }
                    guard !writing.isEmpty else {
                        // Those that only read shall not wait for writers of an hour ago.
                        gathering.committed(0, waiting: 0)
                        continue
                    }
                    let outcomes = session.write(writing)
                    gathering.committed(writing.count, waiting: mailbox.count)
                    for outcome in outcomes { outcome.end() }
                }
            }
            ended = thread.ended
            thread.detach()
        } catch {
            throw StorageError(file, error)
        }
    }

    deinit { mailbox.stop() }

    /// How many pieces of work wait for the thread.
    package var waiting: Int { mailbox.count }

    /// Why nothing can be stored; nil while what is written is stored, or where none was tried since it was.
    package var failure: StorageError? { failing.withLock { $0 } }

    /// Writes in a transaction on the database's thread; returns when it is on the disk.
    ///
    /// What waits at the same time shares one commit, also where many tasks write on a fast disk; of these, one that throws undoes only its own statements, and an
    /// error of the commit is that of all of them. It is done even when the task is cancelled meanwhile.
    ///
    /// - Throws: What the body throws, and a `StorageError` where it is not stored.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { add(Work(writes: true, $0, body)) }
    }

    /// Reads in a transaction on the database's thread, of what is on the disk; a statement that writes throws.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { add(Work(writes: false, $0, body)) }
    }

    /// Has a few bytes beside the file replaced every second, at most 4096, by those of a closure: the next process finds them even if
    /// this one is killed.
    ///
    /// No transaction and no wait for the disk is part of it. A power cut may leave those of half a minute before. In memory
    /// nothing is kept.
    ///
    /// - Parameter bytes: called on the database's thread; nil leaves them as they are. nil in its place ends it.
    package func keepTail(_ bytes: (@Sendable () -> [UInt8]?)?) {
        tail.withLock { $0.make = bytes }
        // The thread may wait for longer.
        mailbox.post(.nothing)
    }

    /// Ends what waits with an error, lets what runs end and commit, and closes the file; may be repeated.
    ///
    /// Returns when all that is done, also in a cancelled task.
    package func close() async {
        mailbox.stop()
        // Not only when the thread has done what it does now.
        for work in mailbox.take().messages { work.end(StorageError.closed(file, work)) }
        await ended.wait()
    }

    private func add(_ work: Work) {
        switch mailbox.post(work) {
        case .accepted: break
        case .full: work.end(StorageError.overloaded(file, work))
        case .stopped: work.end(StorageError.closed(file, work))
        }
    }
}
