import Foundation
import Testing

extension EndToEndTests {
    @Suite(.timeLimit(.minutes(1))) struct Unprivileged {
        static let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]

        @Test func `as the user nobody it reports what it reports as root`() async throws {
            // In a folder that an unprivileged user can read, wherever it was built.
            let folder = try TemporaryFolder()
            let executable = "\(folder.path)/network-health-exporter"
            try FileManager.default.copyItem(atPath: Repository.executable, toPath: executable)
            try await withNetwork { network in
                let root = try await withExporter(in: network) { exporter in try await facts(of: exporter) }
                let nobody = try await withExporter(in: network, wrapper: Self.nobody, executable: executable) {
                    exporter in
                    let status = try await output(of: ["cat", "/proc/\(exporter.program.identifier)/status"])
                    #expect(status.contains("Uid:\t65534\t65534\t65534\t65534\n"))
                    #expect(!exporter.log.contains("Running as root"))
                    return try await facts(of: exporter)
                }
                #expect(root["network_health_connected"] == "1")
                #expect(root.count > 60)
                #expect(nobody == root)
            }
        }

        /// The samples, without those that differ from run to run anyway.
        private func facts(of exporter: ExporterProcess) async throws -> [String: String] {
            try await exporter.waitUntilReady()
            return try await exporter.request("/metrics").samples.filter { name, _ in
                name.hasPrefix("network_health_") && !Golden.volatile.contains { name.hasPrefix($0) }
            }
        }
    }
}
