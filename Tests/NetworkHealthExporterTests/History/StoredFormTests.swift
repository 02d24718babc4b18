import Foundation
import Lab
import NetworkHealth
import Testing

@testable import NetworkHealthExporter
@testable import Storage

/// The form of the storage file.
@Suite struct StoredFormTests {
    @Test func `changed tables have another version`() {
        // FNV-1a. After a change give `Schema.exporter` the next version, of a released one a migration, and write both here.
        let text = Schema.exporter.tables.joined(separator: "\n")
        let digest = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        #expect(Schema.exporter.version == 2 && digest == 635_255_872, "\(digest)")
    }

    @Test func `a file of an earlier state is moved aside, and the exporter goes on with an empty one`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("exporter.db")
        let earlier = try Database(file: file, schema: Schema(version: 0, tables: ["CREATE TABLE speedtest (old)"]))
        await earlier.close()
        let log = LogRecorder()
        let storage = try await OpenedStorage(file: file, logger: log.logger)
        #expect(storage.saved.isEmpty && !storage.saved.isProvisional && storage.cutoff != nil)
        try await storage.database.write { try TransitionHistory.add([Transition(.online())], in: $0) }
        await storage.database.close()
        let message = try #require(await log.next())
        let aside = try #require(message.firstMatch(of: /moved to (\S+\.earlier-\w+Z), and begun anew/)?.1)
        #expect(message.hasPrefix("error --storage.path: \(file) was written by an earlier version of this program"))
        #expect(FileManager.default.fileExists(atPath: String(aside)))
    }
}
