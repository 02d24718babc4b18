import Foundation
import Lab
import Testing

extension EndToEndTests {
    /// Large requests for the queue, in the 128 MB of the manifests.
    @Suite(.timeLimit(.minutes(2))) struct QueueMemory {
        private static let count = 12
        /// Of each body, in kB.
        private static let size = 8 << 10
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// The statuses of so many requests at once, each with a body of almost 8 MiB.
        private func post(to exporter: ExporterProcess, _ part: String, token: String) async throws -> [Int] {
            let text = String(repeating: part, count: ((Self.size << 10) - 100) / part.utf8.count)
            let file = try folder.write("body", #"{"url":"https://api.test/","body":"\#(text)"}"#)
            // One process for each: curl --parallel does not begin all at once.
            let command =
                ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--noproxy", "*"] + [
                    "-H", "Content-Type: application/json", "-H", "Expect:", "-H", "Authorization: Bearer \(token)",
                    "--data-binary", "@\(file)", "http://127.0.0.1:\(exporter.port)/api/v1/requests",
                ]
            return try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<Self.count { group.addTask { Int(try await output(of: command, within: .seconds(60))) } }
                return try await group.reduce(into: []) { $0.append($1 ?? 0) }
            }
        }

        @Test(arguments: ["offline_queue: {}", "offline_queue: { enabled: true, bearer_token_file: TOKEN }"])
        func `bodies of clients without a right to them take no memory`(section: String) async throws {
            let group = try MemoryGroup(limit: 128 << 20)
            let section = section.replacing("TOKEN", with: "'\(try folder.write("token", "secret"))'")
            try await withExporter(
                ["--storage.path=\(folder.path)/network.db"],
                configuration: ExporterProcess.quiet + section + "\n"
            ) { exporter in
                try group.add(exporter.program.identifier)
                try await exporter.waitUntilReady()
                let before = try ResidentMemory(of: exporter.program.identifier).highest
                let statuses = try await post(to: exporter, "x", token: "wrong")
                #expect(statuses == [Int](repeating: section == "offline_queue: {}" ? 403 : 401, count: Self.count))
                let highest = try ResidentMemory(of: exporter.program.identifier).highest
                #expect(highest - before < Self.size, "\(before) \(highest)")
                #expect(try group.kills == 0)
            }
        }

        @Test(arguments: ["x", #"\""#, "[1],"])
        func `bodies of clients with a right to them share 32 MiB, and others get 503`(part: String) async throws {
            let group = try MemoryGroup(limit: 128 << 20)
            let section = """
                offline_queue:
                  enabled: true
                  max_bytes: 1GB
                  bearer_token_file: '\(try folder.write("token", "secret"))'
                  allowed_hosts: [{ host: api.test }]

                """
            try await withExporter(
                ["--storage.path=\(folder.path)/network.db"],
                configuration: ExporterProcess.quiet + section
            ) { exporter in
                try group.add(exporter.program.identifier)
                try await exporter.waitUntilReady()
                let before = try ResidentMemory(of: exporter.program.identifier).highest
                let statuses = try await post(to: exporter, part, token: "secret")
                #expect(Set(statuses).isSubset(of: [202, 503]) && statuses.contains(202), "\(statuses)")
                let highest = try ResidentMemory(of: exporter.program.identifier).highest
                // Less than the bodies alone have, which are copied where they are read.
                #expect(highest - before < Self.count * Self.size, "\(before) \(highest)")
                #expect(try group.kills == 0)
                // The memory is free again.
                let next = try await exporter.request(
                    "/api/v1/requests",
                    method: "POST",
                    headers: ["Content-Type: application/json", "Authorization: Bearer secret"],
                    body: #"{"url":"https://api.test/"}"#
                )
                #expect(next.status == 202, "\(next.body)")
            }
        }
    }
}
