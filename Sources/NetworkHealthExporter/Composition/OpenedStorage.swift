import FoundationEssentials
import Logging
import Storage

/// The storage, and what earlier processes stored in it.
struct OpenedStorage: Sendable {
    let database: Database
    let saved: SpeedTestHistory.Saved
    let cutoff: HistoryCutoff

    /// Opens the file, or memory for nil, and reads it before this process writes anything.
    ///
    /// - Throws: `UsageError`, unless the disk is full, read-only or failing: then nothing is stored until it recovers.
    init(file: String?, logger: Logger) async throws {
        let flag = FlagName.storagePath
        do throws(StorageError) {
            database = try Database(file: file, migrations: Migrations.all) { event in
                let level: Logger.Level = if case .available = event { .info } else { .error }
                logger.log(level: level, "\(flag): \(event)")
            }
        } catch {
            throw UsageError("\(flag): \(error)")
        }
        var saved = SpeedTestHistory.Saved()
        var newest: Double?
        do {
            saved = try await SpeedTestHistory(database: database).load()
            newest = try await HistoryRetention(database: database).newest()
        } catch  where database.failure == nil {
            throw UsageError("\(flag): \(error)")
        } catch {
            // The error was already logged.
        }
        self.saved = saved
        cutoff = HistoryCutoff(newest: newest, startedAt: Date.now.timeIntervalSince1970)
    }
}
