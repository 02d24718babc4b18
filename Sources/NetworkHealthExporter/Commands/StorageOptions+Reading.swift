import NetworkHealth
import Storage

extension StorageOptions {
    /// The last good speed test over that uplink, from the storage file; nil where there is none.
    func lastSpeedTest(over uplink: String) async -> SpeedTestRecord? {
        guard let file = path ?? Environment.process.text(Options.Name.storagePath) else { return nil }
        do {
            let database = try Database.readOnly(file: file)
            defer { database.close() }
            return try await SpeedTestHistory(database: database).lastSuccess(over: uplink)
        } catch {
            // What is known of the network is told all the same.
            StandardError.write("The last speed test is not known: \(error)\n")
            return nil
        }
    }
}
