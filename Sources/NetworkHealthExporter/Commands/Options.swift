import ArgumentParser
import SpeedTestCore

/// The flags that have an environment twin; the only place with their names.
enum FlagName: String, CaseIterable, CustomStringConvertible {
    case configFile = "config.file"
    case configCheck = "config.check"
    case enableAutoReload = "config.enable-auto-reload"
    case autoReloadInterval = "config.auto-reload-interval"
    case listenAddress = "web.listen-address"
    case webConfigFile = "web.config.file"
    case healthListenAddress = "web.health-listen-address"
    case telemetryPath = "web.telemetry-path"
    case externalURL = "web.external-url"
    case routePrefix = "web.route-prefix"
    case disableExporterMetrics = "web.disable-exporter-metrics"
    case systemdSocket = "web.systemd-socket"
    case enableLifecycle = "web.enable-lifecycle"
    case enableAdminAPI = "web.enable-admin-api"
    case allowedHost = "web.allowed-host"
    case storagePath = "storage.path"
    case speedTestServer = "speedtest.server"
    case acceptDataPolicy = "speedtest.accept-data-policy"
    case expensive = "path.expensive"
    case constrained = "path.constrained"
    case hostURL = "host.url"
    case procfs = "path.procfs"
    case sysfs = "path.sysfs"
    case logLevel = "log.level"
    case logFormat = "log.format"
    // Of the commands that query a running exporter.
    case tlsCAFile = "tls.ca-file"
    case httpConfigFile = "http.config.file"

    /// Those that `serve` does not have.
    static let ofClients: Set<FlagName> = [.tlsCAFile, .httpConfigFile]

    /// `--web.listen-address`.
    var description: String { "--\(rawValue)" }

    /// `NHE_WEB_LISTEN_ADDRESS`, the environment twin.
    var variable: String {
        "NHE_" + rawValue.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }

    var long: NameSpecification { .customLong(rawValue) }
}

/// The flags of `serve` as the command line has them; `Settings` joins them with their environment twins.
struct Options: ParsableArguments {
    @Option(
        name: FlagName.configFile.long,
        help: ArgumentHelp("The YAML configuration file; none is needed.", valueName: "file"),
        completion: .file()
    )
    var configFile: String?

    @Flag(
        name: FlagName.configCheck.long,
        inversion: .prefixedNo,
        help: "Check the configuration and exit: with 0 when it is valid, else with 1."
    )
    var configCheck: Bool?

    @Flag(
        name: FlagName.enableAutoReload.long,
        inversion: .prefixedNo,
        help: "Apply the configuration file when it has changed."
    )
    var enableAutoReload: Bool?

    @Option(
        name: FlagName.autoReloadInterval.long,
        help: ArgumentHelp("How often to check whether the file has changed. (default: 30s)", valueName: "duration")
    )
    var autoReloadInterval: String?

    @Option(
        name: FlagName.listenAddress.long,
        parsing: .singleValue,
        help: ArgumentHelp(
            "Where to listen; repeatable. An empty host means every address, IPv6 and IPv4. (default: :10319)",
            valueName: "host:port"
        )
    )
    var listenAddresses: [String] = []

    @Option(
        name: FlagName.webConfigFile.long,
        help: ArgumentHelp(
            "The YAML file with TLS, users and headers of the web server, as Prometheus' exporters take it. (default: none)",
            valueName: "file"
        ),
        completion: .file()
    )
    var webConfigFile: String?

    @Option(
        name: FlagName.healthListenAddress.long,
        help: ArgumentHelp(
            "Where only /health, /-/healthy and /-/ready are served, without TLS and users. (default: none)",
            valueName: "host:port"
        )
    )
    var healthListenAddress: String?

    @Option(
        name: FlagName.telemetryPath.long,
        help: ArgumentHelp("Where the metrics are. (default: /metrics)", valueName: "path")
    )
    var telemetryPath: String?

    @Option(
        name: FlagName.externalURL.long,
        help: ArgumentHelp(
            "The URL under which browsers reach this exporter, behind a reverse proxy; its path is the route prefix.",
            valueName: "url"
        )
    )
    var externalURL: String?

    @Option(
        name: FlagName.routePrefix.long,
        help: ArgumentHelp("Prefix of every path. (default: the path of --web.external-url)", valueName: "path")
    )
    var routePrefix: String?

    @Flag(
        name: FlagName.disableExporterMetrics.long,
        inversion: .prefixedNo,
        help: "Leave out the metrics about the exporter itself (process_*)."
    )
    var disableExporterMetrics: Bool?

    @Flag(
        name: FlagName.systemdSocket.long,
        inversion: .prefixedNo,
        help: "Take the listening sockets that systemd passes, instead of --web.listen-address."
    )
    var systemdSocket: Bool?

    @Flag(name: FlagName.enableLifecycle.long, inversion: .prefixedNo, help: "Allow POST /-/reload.")
    var enableLifecycle: Bool?

    @Flag(
        name: FlagName.enableAdminAPI.long,
        inversion: .prefixedNo,
        help: "Allow POST /api/v1/speedtest."
    )
    var enableAdminAPI: Bool?

    @Option(
        name: FlagName.allowedHost.long,
        help: ArgumentHelp(
            "Name, or suffix such as .monitoring.svc, by which browsers reach the exporter, beside its addresses, localhost, this host's names and the external URL's; repeatable. (default: none)",
            valueName: "name"
        )
    )
    var allowedHosts: [String] = []

    @Option(
        name: FlagName.hostURL.long,
        help: ArgumentHelp(
            "For a container: the exporter of its host, whose cost, internet and speed are adopted. (default: none)",
            valueName: "url"
        )
    )
    var hostURL: String?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var speedTest: SpeedTestFlags
    @OptionGroup var path: PathOptions
    @OptionGroup var logging: LoggingOptions
}

/// What the path costs, and where the kernel's file systems are mounted.
struct PathOptions: ParsableArguments {
    @Option(
        name: FlagName.expensive.long,
        help: ArgumentHelp(
            "Whether the connection is metered: true or false, or auto to find out. (default: auto)",
            valueName: "auto|true|false"
        ),
        completion: .list(["auto", "true", "false"])
    )
    var expensive: String?

    @Option(
        name: FlagName.constrained.long,
        help: ArgumentHelp(
            "Whether to save data on the connection: true or false, or auto for the configuration file's setting. (default: auto)",
            valueName: "auto|true|false"
        ),
        completion: .list(["auto", "true", "false"])
    )
    var constrained: String?

    @Option(
        name: FlagName.procfs.long,
        help: ArgumentHelp("Where procfs is mounted. (default: /proc)", valueName: "folder"),
        completion: .directory
    )
    var procfs: String?

    @Option(
        name: FlagName.sysfs.long,
        help: ArgumentHelp("Where sysfs is mounted. (default: /sys)", valueName: "folder"),
        completion: .directory
    )
    var sysfs: String?
}

/// Where the state that outlives a restart is stored.
struct StorageOptions: ParsableArguments {
    @Option(
        name: FlagName.storagePath.long,
        help: ArgumentHelp(
            "The file that stores results, schedule and budget. (default: in memory only)",
            valueName: "file"
        ),
        completion: .file()
    )
    var path: String?
}

/// The speed-test server, without a file.
struct SpeedTestFlags: ParsableArguments {
    @Option(
        name: FlagName.speedTestServer.long,
        help: ArgumentHelp(
            "The speed-test server, in place of speedtest.servers: \(SpeedTestServer.flagExpectation).",
            valueName: "server"
        ),
        completion: .list(SpeedTestServer.presetNames)
    )
    var server: String?

    @Flag(
        name: FlagName.acceptDataPolicy.long,
        inversion: .prefixedNo,
        help: "Agree that M-Lab publishes each result with this host's address (mlab, ndt7)."
    )
    var acceptDataPolicy: Bool?
}

/// The level and the format of the log.
struct LoggingOptions: ParsableArguments {
    @Option(
        name: FlagName.logLevel.long,
        help: ArgumentHelp("debug, info, warn or error. (default: info)", valueName: "level"),
        completion: .list(["debug", "info", "warn", "error"])
    )
    var level: String?

    @Option(
        name: FlagName.logFormat.long,
        help: ArgumentHelp("logfmt or json. (default: logfmt)", valueName: "format"),
        completion: .list(["logfmt", "json"])
    )
    var format: String?
}
