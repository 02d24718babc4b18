/// The statements of one piece of work, on the database's own thread.
package struct Transaction: ~Copyable {
    private let connection: Connection
    private let operation: StorageError.Operation

    init(_ connection: Connection, isReadOnly: Bool) {
        self.connection = connection
        operation = isReadOnly ? .read : .write
    }

    /// Runs one statement; what it returns is thrown away.
    package func run(_ sql: String, _ parameters: [SQLValue] = []) throws(StorageError) {
        try connection.rows(sql, parameters, for: operation)
    }

    /// Runs one statement and returns its rows.
    ///
    /// Its text is kept prepared: values belong into the parameters.
    package func rows(_ sql: String, _ parameters: [SQLValue] = []) throws(StorageError) -> [SQLRow] {
        try connection.rows(sql, parameters, for: operation)
    }

    /// Runs one statement and passes each of its rows on, so that thousands need no memory.
    package func forEachRow(
        of sql: String,
        _ parameters: [SQLValue] = [],
        _ body: (SQLCursor) -> Void
    ) throws(StorageError) {
        try connection.forEachRow(of: sql, parameters, for: operation, body)
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { connection.changes }
}

extension Connection {
    /// Does what reads, each in the same state of the database.
    func read(_ work: [Work]) -> [Outcome] {
        let outcomes = work.map { work in
            do {
                if !isInTransaction { try rows("BEGIN", for: .read) }
                try work.perform(Transaction(self, isReadOnly: true))
                return Outcome(work: work, failure: nil)
            } catch {
                return Outcome(work: work, failure: error)
            }
        }
        rollBack()
        return outcomes
    }

    /// Does what writes with one commit for all; what throws is undone alone.
    ///
    /// When SQLite gives up the transaction, as on a full disk, all of them have failed.
    func write(_ work: [Work]) -> [Outcome] {
        var outcomes: [Outcome] = []
        do throws(StorageError) {
            try rows("BEGIN IMMEDIATE", for: .write)
            for work in work { outcomes.append(Outcome(work: work, failure: try attempt(work))) }
            try rows("COMMIT", for: .write)
            return outcomes
        } catch {
            rollBack()
            let kept = outcomes.filter { $0.failure != nil }
            let lost = outcomes.filter { $0.failure == nil }.map(\.work) + work.dropFirst(outcomes.count)
            return kept + lost.map { Outcome(work: $0, failure: error) }
        }
    }

    /// Does one of several; returns what it threw, and throws when the whole transaction is lost.
    private func attempt(_ work: Work) throws(StorageError) -> (any Error)? {
        try rows("SAVEPOINT work", for: .write)
        do {
            try work.perform(Transaction(self, isReadOnly: false))
        } catch {
            guard isInTransaction else { throw error as? StorageError ?? lost }
            try rows("ROLLBACK TO work", for: .write)
            try rows("RELEASE work", for: .write)
            return error
        }
        guard isInTransaction else { throw lost }
        try rows("RELEASE work", for: .write)
        return nil
    }

    private var lost: StorageError { StorageError(file, .write, "the transaction was rolled back") }

    private func rollBack() {
        // What fails here has been rolled back by SQLite already.
        if isInTransaction { _ = try? rows("ROLLBACK", for: .write) }
    }
}
