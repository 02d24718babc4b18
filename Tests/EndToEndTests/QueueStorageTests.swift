import Foundation
import Testing

extension EndToEndTests.Queue {
    private static let body = String(repeating: "x", count: 100_000)

    /// A request with a body of that size.
    private func post(_ exporter: ExporterProcess, body: String = "") async throws -> HTTPResponse {
        try await post(exporter, #"{"url":"http://198.18.0.1:8080/","body":"\#(body)"}"#)
    }

    private func inside(_ exporter: ExporterProcess, _ command: String) async throws {
        try await output(of: ["nsenter", "-m", "-t", "\(exporter.program.identifier)", "sh", "-c", command])
    }

    /// What does not need the disk goes on.
    private func expectRest(_ exporter: ExporterProcess) async throws {
        #expect(try await exporter.request("/metrics").status == 200)
        #expect(try await exporter.request("/health").status == 200)
        #expect(try await exporter.sample("network_health_storage_up") == "0")
        let rejected = try await exporter.sample(#"network_health_queue_rejected_total{reason="storage"}"#)
        #expect(rejected.flatMap { Int($0) } ?? 0 > 0)
        #expect(exporter.program.isRunning)
    }

    @Test func `on a disk that becomes full a request is refused with 507, and the rest goes on`() async throws {
        let folder = try TemporaryFolder()
        let mount = "mount -t tmpfs -o size=1m none \(folder.path) && exec \"$@\""
        try await withNetwork { host in
            try await withExporter(
                ["--storage.path=\(folder.path)/exporter.db"],
                configuration: Self.configuration(),
                in: host,
                wrapper: ["unshare", "-m", "sh", "-c", mount, "sh"]
            ) { exporter in
                try await exporter.waitUntilReady()
                #expect(try await post(exporter).status == 202)
                try await inside(exporter, "dd if=/dev/zero of=\(folder.path)/other bs=4k 2>/dev/null || true")
                let answer = try await post(exporter, body: Self.body)
                #expect(answer.status == 507 && answer.body.contains("disk is full"), "\(answer.body)")
                try await expectRest(exporter)
                #expect(try await exporter.sample("network_health_queue_pending_requests") == "1")
                try await inside(exporter, "rm \(folder.path)/other")
                try await poll("the disk") { try await post(exporter, body: Self.body).status == 202 ? true : nil }
                #expect(try await exporter.sample("network_health_queue_pending_requests") == "2")
            }
        }
    }

    @Test func `on a read-only disk a request is refused with 507, and the rest goes on`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let mount = "mount --bind \(path) \(path) && mount -o remount,bind,ro \(path) && exec \"$@\""
        try await withNetwork { host in
            try await withExporter(
                ["--storage.path=\(path)/exporter.db"],
                configuration: Self.configuration(),
                in: host,
                wrapper: ["unshare", "-m", "sh", "-c", mount, "sh"]
            ) { exporter in
                try await exporter.waitUntilReady()
                let answer = try await post(exporter)
                #expect(answer.status == 507 && answer.body.contains("Read-only file system"), "\(answer.body)")
                try await expectRest(exporter)
                try await inside(exporter, "mount -o remount,bind,rw \(path)")
                try await poll("the disk", within: .seconds(60)) {
                    try await post(exporter).status == 202 ? true : nil
                }
            }
        }
    }
}
