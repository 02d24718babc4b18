import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// What becomes of an exporter whose file cannot be had.
    @Suite(.timeLimit(.minutes(2))) struct Storage {
        private static let up = "network_health_storage_up"

        private func lines(_ exporter: ExporterProcess, with text: String) -> [Substring] {
            exporter.log.split(separator: "\n").filter { $0.contains("--storage.path") && $0.contains(text) }
        }

        @Test(arguments: [("size=16k", "No space left on device"), ("size=4m,ro", "Read-only file system")])
        func `on a full or read-only disk it starts, logs that, and stores once it can`(
            options: String,
            reason: String
        ) async throws {
            let folder = try TemporaryFolder()
            let mount = "mount -t tmpfs -o \(options) none \(folder.path) && exec \"$@\""
            try await withNetwork { host in
                try await withExporter(
                    ["--storage.path=\(folder.path)/exporter.db"],
                    in: host,
                    wrapper: ["unshare", "-m", "sh", "-c", mount, "sh"]
                ) { exporter in
                    try await exporter.waitUntilReady()
                    #expect(try await exporter.sample(Self.up) == "0")
                    #expect(lines(exporter, with: reason).count == 1, "\(exporter.log)")
                    try await output(
                        of: ["nsenter", "-m", "-t", "\(exporter.program.identifier)"]
                            + ["mount", "-o", "remount,rw,size=4m", folder.path]
                    )
                    try await poll("the file", within: .seconds(60)) {
                        try await exporter.sample(Self.up) == "1" ? true : nil
                    }
                    // It is logged after it can be seen.
                    let news = try await poll("the line about it") {
                        let count = lines(exporter, with: "is written again").count
                        return count > 0 ? count : nil
                    }
                    #expect(news == 1, "\(exporter.log)")
                    #expect(!exporter.log.contains("PRAGMA") && !exporter.log.contains("INSERT"))
                }
            }
        }

        @Test func `a mistyped path and a file of others end the start, name the flag, and change nothing`()
            async throws
        {
            let folder = try TemporaryFolder()
            let file = try folder.write("network-health.yml", "internet: { enabled: false }\n")
            let copy = try folder.write("copy.db", "")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy)
            let paths = [
                file: "is no database of this program", "\(folder.path)/none/x.db": "No such file or directory",
                copy: "other users can read or write it (mode 644): chmod 600 \(copy)",
            ]
            for (path, reason) in paths {
                let outcome = try await withNetwork { host in
                    try await run(host.prefix + [Repository.executable, "--storage.path=\(path)"])
                }
                #expect(outcome.status == 1)
                let line = outcome.errors.split(separator: "\n").last ?? ""
                #expect(line.contains("--storage.path") && line.contains(path) && line.contains(reason), "\(line)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.sorted() == ["copy.db", "network-health.yml"])
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "internet: { enabled: false }\n")
        }

        @Test func `without the flag there is no such metric`() async throws {
            try await withNetwork { host in
                try await withExporter(in: host) { exporter in
                    let value = try await exporter.sample(Self.up)
                    #expect(value == nil)
                }
            }
        }
    }
}
