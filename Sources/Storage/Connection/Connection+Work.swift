extension Connection {
    /// Does what reads, each in the same state of the database.
    func read(_ work: [any Work]) {
        for work in work {
            do {
                if !isInTransaction { try rows("BEGIN") }
                try work.perform(Transaction(self, isReadOnly: true))
                work.end(nil)
            } catch {
                work.end(error)
            }
        }
        rollBack()
    }

    /// Does what writes with one commit for all; what throws is undone alone.
    ///
    /// When SQLite gives up the transaction, as on a full disk, all of them have failed.
    func write(_ work: [any Work]) {
        var written: [any Work] = []
        var rest = work[...]
        do throws(StorageError) {
            try rows("BEGIN IMMEDIATE")
            while let work = rest.first {
                if let failure = try attempt(work) { work.end(failure) } else { written.append(work) }
                rest.removeFirst()
            }
            try rows("COMMIT")
            for work in written { work.end(nil) }
        } catch {
            rollBack()
            for work in written + rest { work.end(error) }
        }
    }

    /// Does one of several; returns what it threw, and throws when the whole transaction is lost.
    private func attempt(_ work: any Work) throws(StorageError) -> (any Error)? {
        try rows("SAVEPOINT work")
        do {
            try work.perform(Transaction(self, isReadOnly: false))
        } catch {
            guard isInTransaction else { throw error as? StorageError ?? lost }
            try rows("ROLLBACK TO work")
            try rows("RELEASE work")
            return error
        }
        guard isInTransaction else { throw lost }
        try rows("RELEASE work")
        return nil
    }

    private var lost: StorageError { StorageError(file, "write", "the transaction was rolled back") }

    private func rollBack() {
        // What fails here has been rolled back by SQLite already.
        if isInTransaction { _ = try? rows("ROLLBACK") }
    }
}
