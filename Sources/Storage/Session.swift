import CSQLite

/// An open database: its connection and its hold on the file.
final class Session {
    let file: String?
    private var connection: Connection?
    private var held: DatabaseFile?
    private let isReadOnly: Bool

    init(_ connection: Connection, holding held: DatabaseFile? = nil, isReadOnly: Bool = false) {
        file = connection.file
        self.connection = connection
        self.held = held
        self.isReadOnly = isReadOnly
    }

    /// Does what is waiting: what reads first, in one transaction, then what writes, in another.
    ///
    /// So nobody is shown what is not durable yet.
    func perform(_ work: [any Work]) {
        guard let connection else {
            for work in work { work.end(.closed(file)) }
            return
        }
        let (reading, writing) = (work.filter { !$0.writes }, work.filter(\.writes))
        if !reading.isEmpty { connection.read(reading) }
        if !writing.isEmpty {
            if isReadOnly {
                for work in writing { work.end(StorageError(file, "write", "was opened for reading")) }
            } else {
                connection.write(writing)
            }
        }
        // A process that is killed leaves no better word.
        if connection.sawCorruption { try? held?.note(.suspect) }
    }

    /// Copies the log into the file and lets go of both.
    func close() {
        guard let connection else { return }
        let isSuspect = connection.sawCorruption
        if !isReadOnly, !isSuspect { connection.checkpoint() }
        self.connection = nil
        // A word that cannot be written costs a check at the next opening.
        try? held?.note(isSuspect ? .suspect : .closed)
        held = nil
    }
}
