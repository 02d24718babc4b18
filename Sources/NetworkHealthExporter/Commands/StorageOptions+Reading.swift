import NetworkHealth
import Storage

extension StorageOptions {
    /// The last good speed test over that uplink, from the storage file; nil where there is none.
    func lastSpeedTest(over uplink: String) async -> SpeedTestRecord? {
        guard let file = path ?? Environment.process.text(Options.Name.storagePath) else { return nil }
        do {
            // It is closed when it is let go.
            return try await SpeedTestHistory(database: .readOnly(file: file)).lastSuccess(over: uplink)
        } catch {
            // What is known of the network is printed all the same.
            StandardError.write("--\(Options.Name.storagePath): the last speed test is not known: \(error)\n")
            return nil
        }
    }
}
