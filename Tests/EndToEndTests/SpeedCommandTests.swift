import Foundation
import Glibc
import Lab
import Testing

extension EndToEndTests {
    /// The command `speedtest`, alone and against servers that are not ours.
    @Suite(.timeLimit(.minutes(2))) struct SpeedCommand {
        private func speedTest(_ arguments: [String], environment: [String: String] = [:]) async throws -> Outcome {
            // On a busy machine each load may last for 25 s, until its rate is known.
            try await run(
                [Repository.executable, "speedtest"] + arguments,
                environment: environment,
                within: .seconds(90)
            )
        }

        private func object(_ outcome: Outcome) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        }

        @Test func `a static web server can be a networkquality server`() async throws {
            let port = try Loopback.closedPort()
            let base = "http://127.0.0.1:\(port)"
            let nginx = try Nginx(
                """
                access_log off; client_max_body_size 0; keepalive_requests 100000;
                server { listen 127.0.0.1:\(port); root root; location /upload { return 200; } }
                """
            )
            try nginx.folder.write("root/small", "x")
            try nginx.folder.write(
                "root/.well-known/nq",
                """
                {"version":1,"urls":{"small_download_url":"\(base)/small","large_download_url":"\(base)/large",
                "upload_url":"\(base)/upload"}}
                """
            )
            let large = try nginx.folder.write("root/large", "")
            #expect(truncate(large, 8 << 30) == 0)
            let outcome = try await speedTest(["--server", base, "--protocol", "networkquality", "--json"])
            nginx.stop()
            #expect(outcome.status == 0, "\(outcome.errors)")
            let document = try object(outcome)
            #expect(document["protocol"] as? String == "networkquality" && document["error"] is NSNull)
            for direction in ["download", "upload"] {
                let transfer = try #require(document[direction] as? [String: Any], "\(direction)")
                #expect(try #require(transfer["speedMbps"] as? Double) > 10)
                #expect(try #require(transfer["bytesTransferred"] as? Int) > 1_000_000)
            }
        }

        @Test func `the next server is tested where the first one fails, and a pipe gets no progress line`()
            async throws
        {
            let folder = try TemporaryFolder()
            let nobody = try Loopback.closedPort()
            try await withExporter(
                configuration:
                    ExporterProcess.quiet + "speedtest_server: { enabled: true }\n"
            ) { exporter in
                let file = try folder.write(
                    "config.yml",
                    """
                    speedtest:
                      servers:
                        - { name: nobody, protocol: librespeed, url: "http://127.0.0.1:\(nobody)/" }
                        - { name: here, protocol: speedlab, url: "http://127.0.0.1:\(exporter.port)/speedtest" }
                      budget: { per_run: 2GB }

                    """
                )
                let outcome = try await speedTest(
                    ["--download-only", "--json"],
                    environment: ["NHE_CONFIG_FILE": file]
                )
                #expect(outcome.status == 0)
                #expect(outcome.errors.hasPrefix("nobody: ") && !outcome.errors.contains("\u{1b}"))
                let document = try object(outcome)
                #expect(document["server"] as? String == "here" && document["upload"] is NSNull)
                #expect(document["download"] is [String: Any])
            }
        }

        @Test func `a failure is reported by exit status and reason, also in JSON`() async throws {
            let port = try Loopback.closedPort()
            for protocolName in ["speedlab", "librespeed", "cloudflare", "networkquality", "ndt7"] {
                let arguments = ["--server", "http://127.0.0.1:\(port)", "--protocol", protocolName, "--json"]
                let outcome = try await speedTest(arguments)
                #expect(outcome.status == 1, "\(protocolName)")
                let document = try object(outcome)
                #expect(document["download"] is NSNull && document["upload"] is NSNull)
                #expect((document["error"] as? String)?.contains("127.0.0.1") == true, "\(protocolName)")
            }
        }

        @Test func `a failure is printed once, in the words of the server`() async throws {
            let configuration = """
                path: { viewpoint: host }
                internet: { enabled: false }
                speedtest_server: { enabled: true, allow: [192.0.2.0/24] }

                """
            try await withExporter(configuration: configuration) { exporter in
                let outcome = try await speedTest(["--server", "http://127.0.0.1:\(exporter.port)/speedtest"])
                #expect(outcome.status == 1 && outcome.errors.isEmpty, "\(outcome.errors)")
                let lines = outcome.output.split(separator: "\n").filter { $0.contains("status 403") }
                #expect(lines.count == 1)
                #expect(lines.first?.hasSuffix("status 403: the speed-test server is not open to this address") == true)
            }
        }

        @Test func `a snapshot with a speed test reports that it measures, and why that failed`() async throws {
            let folder = try TemporaryFolder()
            let nobody = try Loopback.closedPort()
            let file = try folder.write(
                "config.yml",
                """
                path: { viewpoint: host }
                internet: { enabled: false }
                speedtest:
                  servers: [ { name: nobody, protocol: speedlab, url: "http://127.0.0.1:\(nobody)/" } ]

                """
            )
            let command = [Repository.executable, "snapshot", "--speed-test", "--json", "--config.file", file]
            let outcome = try await run(command)
            let lines = outcome.errors.split(separator: "\n")
            #expect(outcome.status == 0 && lines.count == 2, "\(outcome.errors)")
            #expect(lines.first?.hasPrefix("Running a speed test") == true)
            #expect(lines.last?.hasPrefix("nobody: ") == true && !outcome.errors.contains("\u{1b}"))
            #expect(try object(outcome)["downloadSpeedMbps"] is NSNull)
        }

        @Test(arguments: [
            ["speedtest"], ["speedtest", "--server", "nonsense"], ["speedtest", "--protocol", "ndt7"],
            ["speedtest", "--server", "http://h/", "--protocol", "fast"],
            ["speedtest", "--server", "http://h/", "--download-only", "--upload-only"],
        ])
        func `a usage error exits with 64`(arguments: [String]) async throws {
            let outcome = try await run([Repository.executable] + arguments)
            #expect(outcome.status == 64)
            #expect(outcome.errors.hasPrefix("Error: "))
        }

        @Test func `M-Lab is not contacted without an agreement to its data policy`() async throws {
            let arguments = ["--server", "https://locate.measurementlab.net/v2/nearest/ndt/ndt7", "--protocol", "ndt7"]
            let outcome = try await speedTest(arguments + ["--json"])
            #expect(outcome.status == 1)
            #expect((try object(outcome)["error"] as? String)?.contains("accept_data_policy") == true)
        }

        @Test func `on an expensive path with latency_only the latency is measured`() async throws {
            let configuration =
                SpeedLab.configuration(path: "{ expensive: true }") + "  on_expensive: latency_only\n"
            try await withSpeedLab(delay: .milliseconds(10), up: 20_000_000, down: 20_000_000) { lab in
                try await withExporter(
                    ["--web.enable-admin-api"],
                    configuration: configuration,
                    in: lab.link.host
                ) { exporter in
                    try await exporter.waitUntilReady()
                    let result = try await exporter.makeSpeedTest()
                    #expect(result.error == nil && result.download == nil && result.upload == nil)
                    #expect(result.ping != nil)
                    #expect(try await exporter.speedTestSample(#"success{server="lab",uplink="lab0"}"#) == 1)
                    #expect(try await lab.carriedInTheEnd().total < 100_000)
                }
            }
        }
    }
}
