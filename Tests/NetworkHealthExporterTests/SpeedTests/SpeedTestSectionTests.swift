import HTTPTransfer
import SpeedTestCore
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct SpeedTestSectionTests {
    private func read(_ yaml: String) throws -> SpeedTestSection {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).speedTest
    }

    private static let server = "{ name: a, protocol: speedlab, url: \"http://198.18.0.1/speedtest\" }"

    @Test func `without a server nothing is tested`() throws {
        let section = try read("")
        #expect(section == SpeedTestSection())
        #expect(!section.isActive)
        #expect(try read(section.yaml) == section)
    }

    @Test func `a server is enough`() throws {
        let section = try read("speedtest: { servers: [\(Self.server)] }")
        #expect(section.isActive)
        #expect(section.servers.map(\.name) == ["a"])
        #expect(section.schedule == SpeedTestSchedule())
        #expect(try !read("speedtest: { enabled: false, servers: [\(Self.server)] }").isActive)
    }

    @Test func `every key is read, and printed so that it reads the same`() throws {
        let section = try read(
            """
            speedtest:
              enabled: true
              servers:
                - { name: a, protocol: ndt7, url: "https://h/", congestion_control: bbr, accept_data_policy: true }
                - { name: b, protocol: cloudflare, url: "https://h/", tls_config: { insecure_skip_verify: true } }
              strategy: each
              schedule: { cron: "17 */6 * * *" }
              jitter: 1m
              min_gap: 2m
              initial_delay: 1m
              windows: ["Mon-Fri 08:00-20:00"]
              directions: [upload]
              duration: { min: 1s, max: 2s }
              budget: { per_run: 1MB, per_day: 2MB, per_month: 3MB, reset_day: 28 }
              on_expensive: latency_only
              on_constrained: run
              when_busy: run
              busy_ratio: 50%
              drop_after: 1d
            """
        )
        #expect(section.servers.map(\.dialect) == [.ndt7, .cloudflare])
        #expect(section.servers[0].congestionControl == "bbr" && section.servers[0].acceptsDataPolicy)
        #expect(section.servers[1].tls.skipsVerification)
        #expect(section.strategy == .each && section.directions == [.upload])
        #expect(section.schedule.rhythm == .cron(try CronExpression("17 */6 * * *")))
        #expect(section.schedule.jitter == .seconds(60) && section.schedule.minGap == .seconds(120))
        #expect(section.initialDelay == .seconds(60))
        #expect(section.schedule.windows == [try WeeklyWindow("Mon-Fri 08:00-20:00")])
        #expect(section.window == .seconds(1) ... .seconds(2))
        #expect(section.budget.perRun == 1_000_000 && section.budget.perDay == 2_000_000)
        #expect(section.budget.perMonth == 3_000_000 && section.budget.resetDay == 28)
        #expect(section.onExpensive == .latencyOnly && section.onConstrained == .run)
        #expect(section.whenBusy == .run && section.busyRatio == 0.5 && section.dropAfter == .seconds(86_400))
        #expect(try read(section.yaml) == section)
    }

    @Test func `a mean alone keeps the shape of the default`() throws {
        let section = try read("speedtest: { schedule: { mean: 1h } }")
        let minute = Duration.seconds(60)
        #expect(section.schedule.rhythm == .memoryless(mean: minute * 60, min: minute * 6, max: minute * 150))
        #expect(try read("speedtest: { schedule: { interval: 1h } }").schedule.rhythm == .interval(minute * 60))
    }

    @Test func `secrets are masked`() throws {
        let yaml = try read(
            """
            speedtest:
              servers:
                - name: a
                  protocol: librespeed
                  url: "https://h/"
                  basic_auth: { username: me, password: geheim }
                  headers: { X-Key: geheim }
            """
        ).yaml
        #expect(!yaml.contains("geheim"))
        #expect(yaml.contains("basic_auth") && yaml.contains("X-Key"))
    }

    @Test(arguments: [
        ("enabled: true", "speedtest.enabled: expected a server in servers"),
        ("servers: [\(server), \(server)]", "the name \"a\" is already taken"),
        ("servers: [{ name: a, protocol: fast, url: \"http://h/\" }]", "speedlab"),
        ("servers: [{ name: a, protocol: speedlab, url: \"ws://h/\" }]", "http or https URL"),
        ("schedule: { interval: 1h, mean: 1h }", "expected one of mean"),
        (
            "servers: [{ name: a, protocol: ndt7, url: \"http://h/\", proxy_url: \"http://p:1\" }]",
            "ndt7 takes no headers, credentials or proxy"
        ),
        ("schedule: { interval: 5m }", "min_gap: expected at most schedule.interval"),
        ("schedule: { mean: 1h, min: 2h }", "expected min, mean and max in this order"),
        ("schedule: { cron: \"61 * * * *\" }", "cron expression"),
        ("timezone: Mars/Olympus", "expected an IANA time zone"),
        ("timezone: ../../etc/passwd", "expected an IANA time zone"),
        ("windows: [\"Mon 25:00-26:00\"]", "expected a window such as"),
        ("directions: [upload, upload]", "expected each direction once"),
        ("duration: { min: 5s, max: 2s }", "expected at most max"),
        ("budget: { per_run: 1kB }", "at least 1MB"),
        ("budget: { reset_day: 29 }", "from 1 to 28"),
        ("busy_ratio: 2", "ratio"),
        ("drop_after: 1s", "never"), ("initial_delay: soon", "auto"),
    ])
    func `an error says what was expected`(text: String, message: String) throws {
        let error = try #require(throws: YAMLErrors.self) { try read("speedtest:\n  \(text)\n") }
        #expect(error.description.contains(message), "\(error)")
        #expect(error.errors.map(\.line) == [2], "\(error)")
    }
}
