import NetworkHealth
import Storage

extension StorageOptions {
    /// The last good speed test over that uplink and those after it, from the storage file; see `SpeedTestHistory`.
    func speedTests(over uplink: String) async -> [SpeedTestRecord] {
        guard let file = path ?? Environment.process.text(.storagePath) else { return [] }
        do {
            // It is closed when it is let go.
            return try await SpeedTestHistory(database: .readOnly(file: file)).recent(over: uplink)
        } catch {
            // What is known of the network is printed all the same.
            StandardError.write("\(FlagName.storagePath): the last speed test is not known: \(error)\n")
            return []
        }
    }
}
