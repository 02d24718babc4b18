import FoundationEssentials
import Logging
import NetworkHealth
import OfflineQueue
import Storage

/// The storage, and what earlier processes stored in it.
struct OpenedStorage: Sendable {
    let database: Database
    private(set) var saved = SpeedTestHistory.Saved()
    /// nil without one.
    private(set) var lastOutage: DatedOutage?
    /// What completes the history of the last process.
    private(set) var interrupted = HistoryBacklog()
    /// nil where the file could not be read: this process then removes nothing.
    private(set) var cutoff: HistoryCutoff?

    /// One in which no process has stored anything.
    init(new database: Database) { self.database = database }

    /// Opens the file, or memory for nil, and reads it before this process writes anything.
    ///
    /// - Throws: `UsageError`, unless the disk is full, read-only or failing: then nothing is stored until it recovers.
    init(file: String?, logger: Logger) async throws {
        let flag = FlagName.storagePath
        do throws(StorageError) {
            database = try Database(file: file, schema: .exporter) { event in
                let level: Logger.Level = if case .available = event { .info } else { .error }
                logger.log(level: level, "\(flag): \(event)")
            }
        } catch {
            throw UsageError("\(flag): \(error)")
        }
        let tail = await Self.add(UptimeTail(database.foundTail), to: database)
        do {
            saved = try await SpeedTestHistory(database: database).load()
            interrupted = try await database.read { try HistoryBacklog.interrupted(in: $0, after: tail) }
            let last = try await database.read { try TransitionHistory.lastOutage(in: $0) }
            lastOutage = interrupted.transitions.first.flatMap(DatedOutage.init) ?? last
            let newest = try await HistoryRetention(database: database).newest()
            cutoff = HistoryCutoff(newest: newest, startedAt: Date.now.timeIntervalSince1970)
        } catch  where database.failure != nil {
            // The error was already logged.
        } catch  where (error as? StorageError)?.mayPass == true {
            logger.error("\(flag): \(error); it is read again before anything is stored")
        } catch {
            throw UsageError("\(flag): \(error)")
        }
        // A file that could not be read, or that this process does not hold, is read again before it is written.
        saved.isProvisional = cutoff == nil || database.failure != nil
        saved.isKept = file != nil
    }

    /// Adds what the last process has left to the file; returns what could not be added, as on a full disk.
    ///
    /// That is written with the rows of this process: once these can be written, what is beside the file is replaced.
    private static func add(_ tail: UptimeTail?, to database: Database) async -> UptimeTail? {
        guard let tail else { return nil }
        do {
            try await database.write { try tail.credit(in: $0) }
            return nil
        } catch {
            return tail
        }
    }
}

extension Schema {
    /// The tables of the storage file; a change of one needs the next version, and of a released version a migration.
    static let exporter = Schema(
        version: 2,
        tables: [
            SpeedTestHistory.definition, TransitionHistory.definition, OngoingOutage.definition,
            UplinkOutageHistory.definition, LatencyHistory.definition, PointHistory.definition, GapHistory.definition,
            UptimeHistory.definition,
            RequestQueue.definition,
        ]
    )
}
