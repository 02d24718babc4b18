import Foundation
import Glibc
import Testing

extension EndToEndTimingTests {
    /// What an application meets that asks before it starts.
    @Suite(.timeLimit(.minutes(3))) struct HealthGate {
        private struct Answer: Decodable {
            var passed: Bool
            var reasons: [String]
            var currentQuality: String?
            var downloadSpeedMbps: Double?
        }

        private static let requirements = [
            "online", "unmetered", "basicBrowsing", "imageLoading", "videoStreaming", "largeDownload", "largeUpload",
        ]

        private func ask(_ exporter: ExporterProcess, _ requirement: String) async throws -> (Int, Answer) {
            let response = try await exporter.request("/health?requirement=\(requirement)&format=json")
            return (response.status, try JSONDecoder().decode(Answer.self, from: Data(response.body.utf8)))
        }

        @Test func `a lost path closes every gate within the settling time, and the gauges say the same in one scrape`()
            async throws
        {
            try await withCable { host, _ in
                try await withExporter(in: host) { exporter in
                    try await exporter.waitUntilReady()
                    let (_, before) = try await ask(exporter, "largeDownload")
                    #expect(before.reasons == ["quality_below", "unmeasured"])
                    #expect(try await ask(exporter, "videoStreaming").0 == 200)
                    try await host.ip("route del default")
                    try await host.ip("-6 route del default")
                    let closed = try await lateness(of: "the closed gate", since: .now) {
                        try await ask(exporter, "largeDownload").1.reasons == ["offline"]
                    }
                    // `settle.max`
                    #expect(closed <= .milliseconds(250))
                    let scrape = try await exporter.request("/metrics").samples
                    for name in ["online", "connected", "quality_level", #"quality{quality="good"}"#] {
                        #expect(scrape["network_health_\(name)"] == "0", "\(name)")
                    }
                    #expect(scrape[#"network_health_quality{quality="offline"}"#] == "1")
                    for name in Self.requirements {
                        #expect(scrape["network_health_requirement_satisfied{requirement=\"\(name)\"}"] == "0")
                        let (status, answer) = try await ask(exporter, name)
                        #expect(status == 503 && answer.reasons == ["offline"] && answer.currentQuality == "offline")
                    }
                }
            }
        }

        @Test func `curl returns when the network does, and so does a waiting client`() async throws {
            try await withCable { host, _ in
                try await withExporter(in: host) { exporter in
                    try await exporter.waitUntilReady()
                    try await host.ip("route del default")
                    try await host.ip("-6 route del default")
                    try await poll("the outage") { try await ask(exporter, "online").0 == 503 ? true : nil }
                    let base = "http://127.0.0.1:\(exporter.port)"
                    let url = "\(base)/health?requirement=online"
                    // Each goes on for longer than the test waits for its end.
                    let curl = ["curl", "-sS", "--fail", "--noproxy", "*", "--retry", "60"]
                    let retrying = try Program(host.prefix + curl + [url])
                    let waiting = try Program(host.prefix + curl + ["--max-time", "90", "\(url)&wait=60s"])
                    let check = ["check", "online", "--wait", "60s", "--url", base]
                    let checking = try Program(host.prefix + [Repository.executable] + check)
                    let answered = try await exporter.request("/health?wait=300ms")
                    #expect(answered.status == 503 && answered.headers["retry-after"] == "1")
                    for program in [retrying, waiting, checking] { #expect(program.isRunning) }
                    try await host.ip("route add default via 198.18.0.1 dev eth0")
                    #expect(try await waiting.status() == 0)
                    #expect(try await checking.status() == 0)
                    #expect(try await retrying.status() == 0)
                    #expect(retrying.output == "online\n" && waiting.output == "online\n")
                }
            }
        }

        @Test func `a slow line that was measured closes the gates that it must`() async throws {
            try await withSpeedLab(delay: .milliseconds(5), up: 5_000_000, down: 5_000_000) { lab in
                let flags = ["--web.enable-admin-api"]
                try await withExporter(flags, configuration: SpeedLab.configuration(), in: lab.link.host) { exporter in
                    try await exporter.waitUntilReady()
                    let result = try await exporter.makeSpeedTest()
                    #expect(result.error == nil)
                    let (status, answer) = try await ask(exporter, "largeDownload")
                    // Where this machine's processors were busy, the value is a lower bound, which closes no gate by itself.
                    let reason = result.download?.limitedBy.contains("cpu") == true ? "unmeasured" : "throughput_below"
                    #expect(status == 503 && answer.reasons == [reason])
                    guard reason == "throughput_below" else { return }
                    #expect(answer.currentQuality == "moderate")
                    #expect(abs(try #require(answer.downloadSpeedMbps) - 4.8) < 0.3)
                    #expect(try await ask(exporter, "imageLoading").0 == 200)
                    let scrape = try await exporter.request("/metrics").samples
                    #expect(scrape["network_health_quality_measured"] == "1")
                    #expect(scrape[#"network_health_requirement_satisfied{requirement="imageLoading"}"#] == "1")
                    #expect(scrape[#"network_health_requirement_satisfied{requirement="largeDownload"}"#] == "0")
                    let snapshot = try await exporter.request("/api/v1/snapshot").body
                    #expect(snapshot.contains(#""quality":"moderate","qualitySource":"measured""#), "\(snapshot)")
                    for (name, status) in [("largeDownload", 1), ("imageLoading", 0), ("nope", 2)] {
                        let check = ["check", name, "--url", "http://127.0.0.1:\(exporter.port)"]
                        let outcome = try await run(lab.link.host.prefix + [Repository.executable] + check)
                        #expect(outcome.status == Int32(status), "\(name): \(outcome.errors)")
                    }
                }
            }
        }

        @Test func `every unknown name gets 400 and a list of the known ones`() async throws {
            try await withExporter { exporter in
                let long = String(repeating: "a", count: 5000)
                for query in [
                    "nope", "", "Online", long, "%ff", "%00", "%zz", "online&requirement=online", "online%20",
                ] {
                    let response = try await exporter.request("/health?requirement=\(query)")
                    #expect(response.status == 400, "\(query.prefix(20))")
                    #expect(response.body.contains("one of: online, unmetered, basicBrowsing"), "\(response.body)")
                }
                for query in ["custom", "custom&quality=nope"] {
                    let response = try await exporter.request("/health?requirement=\(query)")
                    let isListed = response.body.contains("one of excellent, good, ")
                    #expect(response.status == 400 && isListed, "\(response.body)")
                }
                let undecodable = try await exporter.request("/health?requirement=%ff").body
                #expect(undecodable.hasPrefix("the request target is not UTF-8; a requirement is one of: online, "))
                let mistyped = try await exporter.request("/health?allow_expensiv=false")
                #expect(
                    mistyped.status == 400 && mistyped.body.hasPrefix("unknown parameter \"allow_expensiv\"; one of: ")
                )
                let tooLong = try await exporter.request("/health?wait=10m")
                #expect(tooLong.status == 400 && tooLong.body.contains("at most 5m"), "\(tooLong.body)")
            }
        }

        /// A check that cannot be made, and its status without and with `--systemd-condition`.
        struct Impossible: Sendable, CustomTestStringConvertible {
            var arguments: [String]
            var environment: [String: String] = [:]
            var status: Int32
            var systemd: Int32 = 255

            var testDescription: String { "\(arguments) \(environment)" }
        }

        private static let nobody = ["--url", "http://127.0.0.1:1"]
        private static let impossible = [
            Impossible(arguments: ["online"] + nobody, status: 3),
            Impossible(arguments: ["a-b"] + nobody, status: 2),
            Impossible(arguments: ["custom"] + nobody, status: 2),
            Impossible(arguments: ["custom&quality=nope"] + nobody, status: 2),
            Impossible(arguments: ["custom&quality=good"] + nobody, status: 3),
            Impossible(arguments: [], status: 64),
            Impossible(arguments: ["online", "--wait", "soon"], status: 64),
            Impossible(arguments: ["online", "--nope"], status: 64),
            Impossible(arguments: ["online", "--url", "nonsense"], status: 64),
            Impossible(arguments: ["online"], environment: ["NHE_WEB_LISTEN_ADDRESS": "nonsense"], status: 64),
            Impossible(arguments: ["online", "--local", "--config.file", "/nope.yml"], status: 64),
            Impossible(arguments: ["online", "--local", "--config.file", "/"], status: 64),
            Impossible(arguments: ["online", "--local", "--config.file", "/proc/self/cmdline"], status: 64),
            Impossible(arguments: ["online", "--local"], environment: ["NHE_CONFIG_FILE": "/nope.yml"], status: 64),
            Impossible(arguments: ["online", "--local", "--path.sysfs", "/nope"], status: 64),
            Impossible(arguments: ["online", "--local"], environment: ["NHE_PATH_PROCFS": "/nope"], status: 64),
            Impossible(arguments: ["nope", "--local"], status: 2),
            Impossible(arguments: ["online", "--local"], status: 1, systemd: 1),
            Impossible(arguments: ["custom&quality=poor", "--local"], status: 1, systemd: 1),
        ]

        @Test(arguments: impossible) func `only a check that was made is a condition`(check: Impossible) async throws {
            // Without a network nothing holds.
            let command = ["unshare", "-n", Repository.executable, "check"] + check.arguments
            let plain = try await run(command, environment: check.environment)
            #expect(plain.status == check.status, "\(plain)")
            let outcome = try await run(command + ["--systemd-condition"], environment: check.environment)
            #expect(outcome.status == check.systemd, "\(outcome)")
            #expect(outcome.errors.isEmpty == (check.systemd == 1), "\(outcome)")
        }

        @Test func `a check without an exporter evaluates the network itself, and waits for it`() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(
                "own.yml",
                ExporterProcess.quiet + "requirements: { own: { quality: good, allow_expensive: false } }\n"
            )
            try await withCable { host, _ in
                let command = host.prefix + [Repository.executable, "check", "--local", "--config.file=\(file)"]
                #expect(try await run(command + ["own"]).status == 0)
                #expect(try await run(command + ["largeDownload"]).status == 1)
                #expect(try await run(command + ["nope"]).status == 2)
                try await host.ip("route del default")
                try await host.ip("-6 route del default")
                let offline = try await run(command + ["own", "--json"])
                #expect(offline.status == 1 && offline.output.contains(#""reasons":["offline"]"#))
                let waiting = try Program(command + ["own", "--wait", "15s"])
                // It says nothing while it waits. If it has not seen the network as it is by then, the test asks for less, and holds.
                try await Task.sleep(for: .milliseconds(300))
                try await host.ip("route add default via 198.18.0.1 dev eth0")
                #expect(try await waiting.status() == 0)
            }
        }

        @Test func `the manual's Compose check runs in a root without a shell, and says what it must`() async throws {
            let page = try Repository.text("docs/health.md")
            let start = try #require(page.firstRange(of: "test: [\"CMD\", ")).upperBound
            let end = try #require(page[start...].firstRange(of: "]")).lowerBound
            let command = try JSONDecoder().decode([String].self, from: Data("[\(page[start..<end])]".utf8))
            let root = try await ImageRoot()
            try await withCable { host, _ in
                try await withExporter(in: host) { exporter in
                    try await exporter.waitUntilReady()
                    let chroot = root.command(command, in: host)
                    let address = ["NHE_WEB_LISTEN_ADDRESS": "127.0.0.1:\(exporter.port)"]
                    let good = try await run(chroot, environment: address)
                    #expect(good.status == 0 && good.output == "videoStreaming\n", "\(good)")
                    try await host.ip("route del default")
                    try await host.ip("-6 route del default")
                    try await poll("the outage") { try await ask(exporter, "online").0 == 503 ? true : nil }
                    let bad = try await run(chroot, environment: address)
                    #expect(bad.status == 1 && bad.output == "offline\n", "\(bad)")
                }
            }
        }

        @Test func `the manual's unit is one that systemd takes`() async throws {
            let page = try Repository.text("docs/health.md")
            let start = try #require(page.firstRange(of: "```ini\n")).upperBound
            let end = try #require(page[start...].firstRange(of: "```")).lowerBound
            let unit = String(page[start..<end]).replacing(
                "/usr/bin/network-health-exporter",
                with: Repository.executable
            )
            .replacing("/usr/local/bin/backup", with: "/bin/true")
            let file = try TemporaryFolder()
            let path = try file.write("backup.service", unit)
            let outcome = try await run(["systemd-analyze", "verify", "--man=no", path])
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        }
    }
}
