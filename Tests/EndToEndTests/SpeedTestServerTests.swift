import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// The embedded speed-test server, by curl.
    @Suite(.timeLimit(.minutes(1))) struct SpeedTestServer {
        private static func configuration(_ more: String = "") -> String {
            ExporterProcess.quiet + "speedtest_server: { enabled: true\(more) }\n"
        }

        /// What curl prints, and then the status.
        private func curl(_ exporter: ExporterProcess, _ path: String, _ arguments: [String] = []) async throws
            -> String
        {
            let url = "http://127.0.0.1:\(exporter.port)\(path)"
            let options = ["-sS", "--noproxy", "*", "--max-time", "20", "-w", " %{http_code}"]
            return try await output(of: ["curl"] + options + arguments + [url])
        }

        /// A file of random bytes.
        private func file(_ size: Int, in folder: TemporaryFolder) async throws -> String {
            let path = "\(folder.path)/file.bin"
            try await output(of: ["dd", "if=/dev/urandom", "of=\(path)", "bs=\(size)", "count=1", "iflag=fullblock"])
            return path
        }

        @Test func `its paths are unknown while it is off, and a reload adds and removes them`() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("exporter.yml", "internet: { enabled: false }\n")
            try await withExporter(["--config.file=\(file)"]) { exporter in
                for path in ["/speedtest", "/speedtest/ping", "/speedtest/download", "/__down", "/ndt/v7/download"] {
                    #expect(try await exporter.request(path).status == 404, "\(path)")
                }
                #expect(try await !exporter.request("/metrics").body.contains("embedded_server"))
                try folder.write("exporter.yml", Self.configuration(", max_bytes: 1kB"))
                exporter.program.signal(SIGHUP)
                try await poll("the server") {
                    try await exporter.request("/speedtest/ping").status == 200 ? true : nil
                }
                #expect(try await curl(exporter, "/__down?bytes=2000", ["-o", "/dev/null"]) == " 200")
                #expect(try await exporter.sample("network_health_embedded_server_transmit_bytes_total") == "1000")
                try folder.write("exporter.yml", "internet: { enabled: false }\n")
                exporter.program.signal(SIGHUP)
                try await poll("its end") { try await exporter.request("/speedtest/ping").status == 404 ? true : nil }
            }
        }

        @Test func `every form of upload is drained and counted, and its sender can query the count`() async throws {
            let folder = try TemporaryFolder()
            let size = 3_000_000
            let file = try await file(size, in: folder)
            try await withExporter(configuration: Self.configuration()) { exporter in
                let raw = "{\"filename\":null,\"size\":\(size)} 200"
                let named = ["-H", "X-Test-Id: t-1"]
                let body = ["--data-binary", "@\(file)"]
                #expect(try await curl(exporter, "/speedtest/upload", body + named) == raw)
                #expect(
                    try await curl(exporter, "/speedtest/upload", body + named + ["-H", "Transfer-Encoding: chunked"])
                        == raw
                )
                #expect(
                    try await curl(exporter, "/speedtest/upload", body + ["-H", "Expect: 100-continue"]) == raw
                )
                #expect(
                    try await curl(exporter, "/speedtest/upload", ["-F", "file=@\(file)"])
                        == "{\"filename\":\"file.bin\",\"size\":\(size)} 200"
                )
                let counters = try await exporter.request("/speedtest/counters/t-1")
                let count = try #require(
                    try JSONSerialization.jsonObject(with: Data(counters.body.utf8)) as? [String: Double]
                )
                #expect(count["bytes"] == Double(2 * size))
                #expect(try #require(count["lastByteAt"]) > #require(count["firstByteAt"]))
                #expect(try await exporter.request("/speedtest/counters/t-2").status == 404)
                let received = try await exporter.sample("network_health_embedded_server_receive_bytes_total")
                // Four bodies; that of the form has a few bytes around the file.
                #expect(try #require(received.flatMap { Int($0) }) - 4 * size < 1000)
            }
        }

        @Test func `a download has its length, reports its congestion control, and keeps the connection`() async throws
        {
            try await withExporter(configuration: Self.configuration(", congestion_control: cubic")) { exporter in
                let answer = try await curl(exporter, "/speedtest/download?size=5MB", ["-D", "-", "-o", "/dev/null"])
                #expect(answer.contains("Content-Length: 5000000\r\n"))
                #expect(answer.contains("X-Congestion-Control: cubic\r\n"))
                #expect(answer.contains("Cache-Control: no-store\r\n"))
                let url = "http://127.0.0.1:\(exporter.port)/__down?bytes=100000"
                let connections = try await output(of: [
                    "curl", "-sS", "--noproxy", "*", "-w", "%{num_connects}\n", "-o", "/dev/null", url, "-o",
                    "/dev/null", url,
                ])
                #expect(connections == "1\n0\n")
                let head = try await curl(exporter, "/__down?bytes=70", ["--head"])
                #expect(head.contains("Content-Length: 70\r\n"))
                #expect(head.contains("Server-Timing: cfRequestDuration;dur="))
            }
        }

        @Test func `limits hold, each with its status and reason`() async throws {
            let folder = try TemporaryFolder()
            let file = try await file(2000, in: folder)
            try await withExporter(configuration: Self.configuration(", max_bytes: 1kB")) { exporter in
                #expect(
                    try await exporter.request("/speedtest/ping", headers: ["Origin: http://a.example"]).status == 403
                )
                let body = ["--data-binary", "@\(file)", "-o", "/dev/null"]
                #expect(try await curl(exporter, "/speedtest/upload", body) == " 413")
                let chunked = body + ["-H", "Transfer-Encoding: chunked"]
                #expect(try await curl(exporter, "/speedtest/upload", chunked) == " 413")
                let samples = try await exporter.request("/metrics").samples
                for (reason, count) in [("cross_site", "1"), ("bytes", "2"), ("bytes_per_day", "0"), ("address", "0")] {
                    let name = "network_health_embedded_server_rejected_total{reason=\"\(reason)\"}"
                    #expect(samples[name] == count, "\(reason)")
                }
            }
        }

        @Test func `the bytes of a day are limited, and a refusal has the beginning of the next`() async throws {
            let limits = ", max_bytes: 1kB, max_bytes_per_day: 1500B"
            try await withExporter(configuration: Self.configuration(limits)) { exporter in
                for size in [1000, 500] {
                    let answer = try await curl(exporter, "/__down?bytes=5000", ["-o", "/dev/null", "-D", "-"])
                    #expect(answer.contains("Content-Length: \(size)\r\n"))
                }
                let late = try await exporter.request("/__down?bytes=1")
                #expect(late.status == 503)
                #expect(try #require(late.headers["retry-after"].flatMap { Int($0) }) > 86_000)
                let refused = "network_health_embedded_server_rejected_total{reason=\"bytes_per_day\"}"
                #expect(try await exporter.sample(refused) == "1")
            }
        }

        @Test func `only allowed addresses are served`() async throws {
            try await withExporter(configuration: Self.configuration(", allow: [private, 198.18.0.0/15]")) { exporter in
                for path in ["/speedtest/ping", "/__down?bytes=1", "/speedtest/counters/a", "/ndt/v7/download"] {
                    #expect(try await exporter.request(path).status == 403, "\(path)")
                }
                let scrape = try await exporter.request("/metrics")
                #expect(scrape.status == 200)
            }
        }

        @Test func `a transfer that lasts too long is ended`() async throws {
            try await withExporter(configuration: Self.configuration(", max_duration: 1s")) { exporter in
                let url = "http://127.0.0.1:\(exporter.port)"
                let slow = ["curl", "-sS", "--noproxy", "*", "--max-time", "20", "--limit-rate", "1M"]
                let download = try await run(slow + ["-o", "/dev/null", "\(url)/speedtest/download?size=1GB"])
                // Fewer bytes than the length said.
                #expect(download.status == 18, "\(download.errors)")
                let upload = try await run(
                    slow + ["-T", "/dev/zero", "-X", "POST", "-w", " %{http_code}", "\(url)/speedtest/upload"]
                )
                #expect(upload.output.hasSuffix(" 503"), "\(upload.output) \(upload.errors)")
                #expect(
                    try await exporter.sample("network_health_embedded_server_rejected_total{reason=\"duration\"}")
                        == "2"
                )
                // After the answer.
                try await exporter.wait(for: "network_health_embedded_server_active_transfers", "0")
            }
        }
    }
}
