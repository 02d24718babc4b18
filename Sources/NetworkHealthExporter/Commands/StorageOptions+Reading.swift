import NetworkHealth
import Storage

extension StorageOptions {
    /// The last good speed test over that uplink and those after it, from the storage file; see `SpeedTestHistory`.
    func speedTests(over uplink: String) async -> SpeedTestResults {
        guard let file = path ?? Environment.process.text(Options.Name.storagePath) else { return SpeedTestResults() }
        do {
            // It is closed when it is let go.
            return SpeedTestResults(try await SpeedTestHistory(database: .readOnly(file: file)).recent(over: uplink))
        } catch {
            // What is known of the network is printed all the same.
            StandardError.write("--\(Options.Name.storagePath): the last speed test is not known: \(error)\n")
            return SpeedTestResults()
        }
    }
}
