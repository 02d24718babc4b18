import NetworkHealth
import Storage

extension StorageOptions {
    /// The last good speed test over that uplink and those after it, from the storage file; see `SpeedTestHistory`.
    func speedTests(over uplink: String) async -> [SpeedTestRecord] {
        guard let file = path ?? Environment.process.text(Options.Name.storagePath) else { return [] }
        do {
            let database = try Database.readOnly(file: file)
            defer { database.close() }
            return try await SpeedTestHistory(database: database).recent(over: uplink)
        } catch {
            // What is known of the network is told all the same.
            StandardError.write("The last speed test is not known: \(error)\n")
            return []
        }
    }
}
