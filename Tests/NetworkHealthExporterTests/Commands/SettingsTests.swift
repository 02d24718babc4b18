import ArgumentParser
import HTTPTransfer
import Logging
import NetworkPath
import Posix
import SpeedTestCore
import Testing

@testable import NetworkHealthExporter

struct SettingsTests {
    /// One setting, by its flag, its environment twin and its default.
    struct Row: Sendable, CustomTestStringConvertible {
        var variable: String
        var environment: String
        var flag: [String]
        /// The setting as text: by default, by the environment and by the flag.
        var values: [String]
        var read: @Sendable (Settings) -> String

        var testDescription: String { variable }
    }

    static let rows = [
        Row(
            variable: "NHE_CONFIG_FILE",
            environment: "a.yml",
            flag: ["--config.file", "b.yml"],
            values: ["nil", "a.yml", "b.yml"]
        ) { $0.configFile ?? "nil" },
        Row(
            variable: "NHE_CONFIG_ENABLE_AUTO_RELOAD",
            environment: "true",
            flag: ["--no-config.enable-auto-reload"],
            values: ["false", "true", "false"]
        ) { "\($0.autoReloads)" },
        Row(
            variable: "NHE_CONFIG_AUTO_RELOAD_INTERVAL",
            environment: "1m",
            flag: ["--config.auto-reload-interval=2s"],
            values: ["30.0 seconds", "60.0 seconds", "2.0 seconds"]
        ) { "\($0.autoReloadInterval)" },
        Row(
            variable: "NHE_WEB_LISTEN_ADDRESS",
            environment: "[::1]:1,127.0.0.1:2",
            flag: ["--web.listen-address=:3", "--web.listen-address", "localhost:4"],
            values: [":10319", "[::1]:1 127.0.0.1:2", ":3 localhost:4"]
        ) { $0.listenAddresses.joined(separator: " ") },
        Row(
            variable: "NHE_WEB_CONFIG_FILE",
            environment: "web.yml",
            flag: ["--web.config.file=b.yml"],
            values: ["nil", "web.yml", "b.yml"]
        ) { $0.webConfigFile ?? "nil" },
        Row(
            variable: "NHE_WEB_HEALTH_LISTEN_ADDRESS",
            environment: ":1",
            flag: ["--web.health-listen-address=127.0.0.1:2"],
            values: ["nil", ":1", "127.0.0.1:2"]
        ) { $0.healthListenAddress ?? "nil" },
        Row(
            variable: "NHE_WEB_TELEMETRY_PATH",
            environment: "/m",
            flag: ["--web.telemetry-path=/n"],
            values: ["/metrics", "/m", "/n"]
        ) { $0.telemetryPath },
        Row(
            variable: "NHE_WEB_EXTERNAL_URL",
            environment: "https://example.com/a/b/",
            flag: ["--web.external-url=http://h:1/c"],
            values: ["", "/a/b", "/c"]
        ) { $0.routePrefix },
        Row(
            variable: "NHE_WEB_EXTERNAL_URL",
            environment: "https://example.com/a/b/",
            flag: ["--web.external-url=http://h:1/c"],
            values: ["", "example.com:443", "h:1"]
        ) { $0.externalURL?.hostPort.description ?? "" },
        Row(
            variable: "NHE_WEB_ROUTE_PREFIX",
            environment: "/a/",
            flag: ["--web.route-prefix=/b"],
            values: ["", "/a", "/b"]
        ) { $0.routePrefix },
        Row(
            variable: "NHE_WEB_DISABLE_EXPORTER_METRICS",
            environment: "1",
            flag: ["--no-web.disable-exporter-metrics"],
            values: ["true", "false", "true"]
        ) { "\($0.exporterMetrics)" },
        Row(
            variable: "NHE_WEB_SYSTEMD_SOCKET",
            environment: "TRUE",
            flag: ["--no-web.systemd-socket"],
            values: ["false", "true", "false"]
        ) { "\($0.usesSystemdSocket)" },
        Row(
            variable: "NHE_WEB_ENABLE_LIFECYCLE",
            environment: "0",
            flag: ["--web.enable-lifecycle"],
            values: ["false", "false", "true"]
        ) { "\($0.allowsLifecycle)" },
        Row(
            variable: "NHE_PATH_EXPENSIVE",
            environment: "false",
            flag: ["--path.expensive=auto"],
            values: ["nil", "Optional(false)", "nil"]
        ) { "\($0.path.flags.expensive as Any)" },
        Row(
            variable: "NHE_PATH_CONSTRAINED",
            environment: "true",
            flag: ["--path.constrained=false"],
            values: ["nil", "Optional(true)", "Optional(false)"]
        ) { "\($0.path.flags.constrained as Any)" },
        Row(
            variable: "NHE_HOST_URL",
            environment: "http://192.0.2.1:10319",
            flag: ["--host.url=https://node.example.com/network"],
            values: ["", "http://192.0.2.1:10319", "https://node.example.com/network"]
        ) { $0.hostURL ?? "" },
        Row(
            variable: "NHE_HOST_URL",
            environment: "http://2001:db8::1:10319",
            flag: ["--host.url=http://2001:db8::2:10319/network"],
            values: ["", "http://[2001:db8::1]:10319", "http://[2001:db8::2]:10319/network"]
        ) { $0.hostURL ?? "" },
        Row(
            variable: "NHE_PATH_PROCFS",
            environment: "/usr",
            flag: ["--path.procfs=/tmp"],
            values: ["/proc", "/usr", "/tmp"]
        ) { $0.path.roots.procfs },
        Row(
            variable: "NHE_PATH_SYSFS",
            environment: "/usr",
            flag: ["--path.sysfs=/tmp"],
            values: ["/sys", "/usr", "/tmp"]
        ) { $0.path.roots.sysfs },
        Row(
            variable: "NHE_LOG_LEVEL",
            environment: "warn",
            flag: ["--log.level=debug"],
            values: ["info", "warning", "debug"]
        ) { "\($0.log.level)" },
        Row(
            variable: "NHE_LOG_FORMAT",
            environment: "json",
            flag: ["--log.format=logfmt"],
            values: ["logfmt", "json", "logfmt"]
        ) { $0.log.format.rawValue },
        Row(
            variable: "NHE_CONFIG_CHECK",
            environment: "1",
            flag: ["--no-config.check"],
            values: ["false", "true", "false"]
        ) { "\($0.onlyChecks)" },
        Row(
            variable: "NHE_WEB_ENABLE_ADMIN_API",
            environment: "true",
            flag: ["--no-web.enable-admin-api"],
            values: ["false", "true", "false"]
        ) { "\($0.allowsAdminAPI)" },
        Row(
            variable: "NHE_WEB_ALLOWED_HOST",
            environment: "a.example, b",
            flag: ["--web.allowed-host=c", "--web.allowed-host", "d"],
            values: ["", "a.example b", "c d"]
        ) { $0.allowedHosts.joined(separator: " ") },
        Row(
            variable: "NHE_STORAGE_PATH",
            environment: "/a",
            flag: ["--storage.path=/b"],
            values: ["none", "/a", "/b"]
        ) { $0.storagePath ?? "none" },
        Row(
            variable: "NHE_SPEEDTEST_SERVER",
            environment: "cloudflare",
            flag: ["--speedtest.server=speedlab+http://192.0.2.1:10319/speedtest"],
            values: ["nil", "cloudflare", "192.0.2.1"]
        ) { $0.speedTest.server?.name ?? "nil" },
        Row(
            variable: "NHE_SPEEDTEST_ACCEPT_DATA_POLICY",
            environment: "true",
            flag: ["--no-speedtest.accept-data-policy"],
            values: ["false", "true", "false"]
        ) { "\($0.speedTest.acceptsDataPolicy)" },
    ]

    private func settings(_ arguments: [String] = [], _ variables: [String: String] = [:]) throws -> Settings {
        try Settings(Options.parse(arguments), Environment(variables: variables))
    }

    @Test(arguments: rows) func `a flag goes before the environment, which goes before the default`(row: Row) throws {
        let variables = [row.variable: row.environment]
        #expect(try row.read(settings()) == row.values[0])
        #expect(try row.read(settings([], variables)) == row.values[1])
        #expect(try row.read(settings(row.flag, variables)) == row.values[2])
        #expect(try row.read(settings([], [row.variable: ""])) == row.values[0], "an empty variable counts as unset")
    }

    @Test func `every flag is in the table`() {
        let flags = Set(FlagName.allCases).subtracting(FlagName.ofClients)
        #expect(Set(flags.map(\.variable)) == Set(Self.rows.map(\.variable)))
    }

    @Test(arguments: [
        ("NHE_CONFIG_ENABLE_AUTO_RELOAD", "yes", "expected true, 1, false or 0, found \"yes\""),
        ("NHE_WEB_DISABLE_EXPORTER_METRICS", "2", "expected true, 1, false or 0, found \"2\""),
        ("NHE_WEB_SYSTEMD_SOCKET", "on", "expected true, 1, false or 0, found \"on\""),
        ("NHE_WEB_ENABLE_LIFECYCLE", "no", "expected true, 1, false or 0, found \"no\""),
    ])
    func `a refused variable is named, with what was expected`(
        variable: String,
        value: String,
        message: String
    ) throws {
        let error = try #require(throws: UsageError.self) { try settings([], [variable: value]) }
        #expect(error.description == "\(variable): \(message)")
    }

    @Test(arguments: [
        ("config.auto-reload-interval", "fast", "a duration such as 30s"),
        ("config.auto-reload-interval", "9ms", "a duration such as 30s"),
        ("web.telemetry-path", "metrics", "a path such as /metrics that is not taken"),
        ("web.telemetry-path", "/health", "a path such as /metrics that is not taken"),
        ("web.telemetry-path", "/api/v1/snapshot", "a path such as /metrics that is not taken"),
        ("web.telemetry-path", "/m*", "a path such as /metrics that is not taken"),
        ("web.telemetry-path", "//", "a path such as /metrics that is not taken"),
        ("web.listen-address", "localhost", "HOST:PORT, [IPv6]:PORT or :PORT"),
        ("web.listen-address", "2001:db8::1:80", "HOST:PORT, [IPv6]:PORT or :PORT"),
        ("web.external-url", "example.com/a", "a URL such as https://example.com/network/"),
        ("web.external-url", "ftp://example.com/", "a URL such as https://example.com/network/"),
        ("web.external-url", "http://", "a URL such as https://example.com/network/"),
        ("web.external-url", "http:///a", "a URL such as https://example.com/network/"),
        ("web.external-url", "http://h/a?b", "a URL such as https://example.com/network/"),
        ("web.route-prefix", "network", "a path such as /network"),
        ("path.procfs", "/nope", "a folder"), ("path.sysfs", "/proc/version", "a folder"),
        ("speedtest.server", "http://192.0.2.1/", SpeedTestServer.flagExpectation),
        ("log.level", "trace", "debug, info, warn or error"), ("log.format", "xml", "logfmt or json"),
    ])
    func `a refused value is named by flag or by variable`(flag: String, value: String, expectation: String) throws {
        let byFlag = try #require(throws: UsageError.self) { try settings(["--\(flag)=\(value)"]) }
        #expect(byFlag.description == "--\(flag): expected \(expectation), found \"\(value)\"")
        let name = try #require(FlagName(rawValue: flag)).variable
        let byVariable = try #require(throws: UsageError.self) { try settings([], [name: value]) }
        #expect(byVariable.description == "\(name): expected \(expectation), found \"\(value)\"")
    }

    @Test func `a refused value is one line, on which no terminal acts`() throws {
        let (value, escaped) = ("\u{1b}[31m\nb", #"found "\u001b[31m\nb""#)
        for flag in ["log.level", "web.listen-address", "web.allowed-host", "path.procfs"] {
            let error = try #require(throws: UsageError.self) { try settings(["--\(flag)=\(value)"]) }
            #expect(error.description.hasSuffix(escaped), "\(error)")
        }
    }

    @Test func `the route prefix goes before the path of the external URL`() throws {
        let both = try settings(["--web.external-url=https://h/a", "--web.route-prefix=/b"])
        #expect(both.routePrefix == "/b")
        let root = try settings(["--web.external-url=https://h/a", "--web.route-prefix=/"])
        #expect(root.routePrefix.isEmpty, "a proxy that strips the path")
        #expect(try settings(["--web.external-url=https://h"]).routePrefix.isEmpty)
    }

    @Test func `DEBUG_MODE is the debug level, unless a level is given`() throws {
        #expect(try settings([], ["DEBUG_MODE": "1"]).log.level == .debug)
        #expect(try settings([], ["DEBUG_MODE": "0"]).log.level == .info)
        #expect(try settings([], ["DEBUG_MODE": "1", "NHE_LOG_LEVEL": "error"]).log.level == .error)
        #expect(try settings(["--log.level=warn"], ["DEBUG_MODE": "1"]).log.level == .warning)
    }

    @Test func `without flags and variables the settings are the defaults`() throws {
        #expect(try settings() == Settings())
    }

    /// What the command line, the users and the token of the queue allow.
    struct Access: Sendable {
        var listen: String
        var hasToken: Bool
        var hasUsers: Bool
        var isAllowed: Bool
    }

    @Test(arguments: [
        Access(listen: "127.0.0.1:1", hasToken: false, hasUsers: false, isAllowed: true),
        Access(listen: ":1", hasToken: false, hasUsers: false, isAllowed: false),
        Access(listen: ":1", hasToken: true, hasUsers: false, isAllowed: true),
        Access(listen: ":1", hasToken: false, hasUsers: true, isAllowed: true),
        Access(listen: ":1", hasToken: true, hasUsers: true, isAllowed: false),
        Access(listen: "[::1]:1", hasToken: true, hasUsers: true, isAllowed: false),
    ])
    func `a queue that others reach needs a token or users, and not both`(access: Access) throws {
        let settings = try settings(["--web.listen-address", access.listen, "--storage.path", "/tmp/x"])
        var configuration = Configuration()
        configuration.offlineQueue.isEnabled = true
        configuration.offlineQueue.bearerToken = access.hasToken ? "token" : nil
        let isAllowed = (try? settings.check(configuration, hasUsers: access.hasUsers)) != nil
        #expect(isAllowed == access.isAllowed)
    }
}
