import CSQLite
import Coordination

/// A database, open or waiting to be: its connection and its hold on the file; one thread has it.
final class Session {
    private let file: String?
    /// nil while the file cannot be opened for writing, and after `close`.
    private var connection: Connection?
    private var held: DatabaseFile?
    /// What was stored, while there is no connection.
    private var frozen: Connection?
    /// How the file is opened; nil in memory and for reading, where nothing is tried again.
    private let opening: Opening?
    /// Whether opening the file is tried again.
    private var isWaiting = false
    private let stopwatch = Stopwatch(.continuous)
    /// The pause after a failed replacement, which may have copied the whole database.
    private let pause: Duration
    private var nextReplacement = Duration.zero
    /// nil before the first use, and after the disk has refused it.
    private var tail: TailFile?
    private var mayLeaveTail = true
    /// What the process before left; empty where that is not known.
    let foundTail: [UInt8]
    private let isReadOnly: Bool
    /// Why nothing can be stored; read by other threads.
    private let failure: Locked<StorageError?>
    private let onEvent: @Sendable (StorageEvent) -> Void

    /// A database in memory, or one that is only read.
    init(_ connection: Connection, isReadOnly: Bool) {
        file = connection.file
        self.connection = connection
        self.isReadOnly = isReadOnly
        (opening, failure, pause, onEvent, foundTail) = (nil, Locked(nil), .zero, { _ in }, [])
    }

    /// A file to be written; where the disk is full, read-only or failing it is opened later.
    init(
        _ opening: Opening,
        failure: Locked<StorageError?>,
        pause: Duration,
        onEvent: @escaping @Sendable (StorageEvent) -> Void
    ) throws(StorageError) {
        file = opening.path
        (self.opening, self.failure, self.pause, self.onEvent) = (opening, failure, pause, onEvent)
        isReadOnly = false
        do throws(StorageError) {
            let (connection, held) = try opening.open(onEvent)
            (self.connection, self.held) = (connection, held)
            foundTail = TailFile.content(of: TailFile.path(of: held.path))
        } catch {
            guard error.mayPass else { throw error }
            // Before this process replaces it, which it does once the file can be written.
            let path = (try? DatabaseFile.resolved(opening.path)) ?? opening.path
            foundTail = TailFile.content(of: TailFile.path(of: path))
            frozen = try? opening.frozen()
            // What could not be read would be overwritten without it.
            isWaiting = frozen != nil
            report(isWaiting ? error : error.saying("\(error.message); nor can it be read: restart when it can"))
        }
    }

    /// Whether `tend` has anything to do.
    var isTended: Bool { opening != nil }

    /// Reads in one transaction.
    func read(_ work: [Work]) -> [Outcome] {
        guard let connection = connection ?? frozen else { return refused(work) }
        defer { noteCorruption() }
        return connection.read(work)
    }

    /// Writes in one transaction, unless the file cannot be written.
    func write(_ work: [Work]) -> [Outcome] {
        if isReadOnly {
            return work.map { Outcome(work: $0, failure: StorageError(file, .write, "was opened for reading")) }
        }
        tend()
        // Damage may be in one place, and the next statement in another.
        guard let connection, connection.sawCorruption || failure.withLock({ $0 == nil }) else { return refused(work) }
        let outcomes = connection.write(work)
        noteCorruption()
        if let failure = outcomes.lazy.compactMap({ $0.failure as? StorageError }).first(where: \.isOfFile) {
            report(failure)
        } else if outcomes.contains(where: { $0.failure == nil }) {
            report(nil)
            mayLeaveTail = true
        }
        return outcomes
    }

    /// Leaves a few bytes that the next process finds even if this one is killed; what the disk refuses is tried again after the
    /// next transaction.
    func leave(_ bytes: [UInt8]) {
        guard mayLeaveTail, let held else { return }
        if tail == nil { tail = try? TailFile(TailFile.path(of: held.path)) }
        mayLeaveTail = tail?.write(bytes) ?? false
        if !mayLeaveTail { tail = nil }
    }

    /// Checks whether the file is where it was, and tries again what failed.
    func tend() {
        guard let opening else { return }
        do throws(StorageError) {
            if let connection, let held {
                if try !held.isInPlace() {
                    // Until then the failure of the last one holds.
                    guard stopwatch.elapsed >= nextReplacement else { return }
                    try replace(connection, held, opening)
                } else if failure.withLock({ $0 != nil }), !connection.sawCorruption {
                    try connection.mark()
                } else {
                    return
                }
            } else if isWaiting {
                // Its end would drop the locks of the next one.
                frozen = nil
                do throws(StorageError) {
                    (connection, held) = try opening.open(onEvent)
                    isWaiting = false
                } catch {
                    frozen = try? opening.frozen()
                    throw error
                }
            } else {
                return
            }
            report(nil)
        } catch {
            report(error)
        }
    }

    /// Copies the log into the file and closes both.
    func close() {
        isWaiting = false
        frozen = nil
        tail = nil
        guard let connection else { return }
        let isSuspect = connection.sawCorruption
        if !isReadOnly, !isSuspect { connection.checkpoint() }
        self.connection = nil
        // A note that cannot be written costs a check at the next opening.
        try? held?.note(isSuspect ? .suspect : .closed)
        held = nil
    }

    /// Writes what is open to a new file, where the one that is open has lost its name.
    private func replace(_ old: Connection, _ held: DatabaseFile, _ opening: Opening) throws(StorageError) {
        do throws(StorageError) {
            try held.replace { (new) throws(StorageError) in
                try old.rows("VACUUM INTO ?", [.text(new)], for: .write)
            }
        } catch {
            nextReplacement = stopwatch.elapsed + pause
            throw error.saying("was deleted or moved while in use, and cannot be written anew: \(error.message)")
        }
        connection = nil
        tail = nil
        do throws(StorageError) {
            connection = try opening.prepare(held, .closed)
        } catch {
            (self.held, isWaiting) = (nil, true)
            frozen = try? opening.frozen()
            throw error
        }
        if failure.withLock({ $0 == nil }) { onEvent(.rewritten(file: held.path)) }
    }

    private func refused(_ work: [Work]) -> [Outcome] {
        let failure = failure.withLock { $0 }
        return work.map { Outcome(work: $0, failure: failure ?? .closed(file, $0)) }
    }

    /// A process that is killed leaves no later note.
    private func noteCorruption() {
        if connection?.sawCorruption == true { try? held?.note(.suspect) }
    }

    private func report(_ new: StorageError?) {
        let old = failure.withLock { failure in
            defer { failure = new }
            return failure
        }
        switch (old, new) {
        case (nil, let error?): onEvent(.unavailable(error))
        case (_?, nil): onEvent(.available(file: file ?? ""))
        case (nil, nil), (_?, _?): break
        }
    }
}
