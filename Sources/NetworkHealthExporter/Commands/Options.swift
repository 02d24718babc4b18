import ArgumentParser

/// The flags of `serve` as they stand on the command line; `Settings` joins them with their environment twins.
struct Options: ParsableArguments {
    /// Each flag's name, once.
    enum Name {
        static let configFile = "config.file"
        static let configCheck = "config.check"
        static let enableAutoReload = "config.enable-auto-reload"
        static let autoReloadInterval = "config.auto-reload-interval"
        static let listenAddress = "web.listen-address"
        static let telemetryPath = "web.telemetry-path"
        static let externalURL = "web.external-url"
        static let routePrefix = "web.route-prefix"
        static let disableExporterMetrics = "web.disable-exporter-metrics"
        static let systemdSocket = "web.systemd-socket"
        static let enableLifecycle = "web.enable-lifecycle"
        static let enableAdminAPI = "web.enable-admin-api"
        static let storagePath = "storage.path"
        static let procfs = "path.procfs"
        static let sysfs = "path.sysfs"
        static let logLevel = "log.level"
        static let logFormat = "log.format"

        static let all = [
            configFile, configCheck, enableAutoReload, autoReloadInterval, listenAddress, telemetryPath, externalURL,
            routePrefix, disableExporterMetrics, systemdSocket, enableLifecycle, enableAdminAPI, storagePath, procfs,
            sysfs, logLevel, logFormat,
        ]
    }

    @Option(
        name: .customLong(Name.configFile),
        help: ArgumentHelp("The YAML configuration file; none is needed.", valueName: "file")
    )
    var configFile: String?

    @Flag(
        name: .customLong(Name.configCheck),
        inversion: .prefixedNo,
        help: "Check the configuration and exit: 0 when it is right, else 1."
    )
    var configCheck: Bool?

    @Flag(
        name: .customLong(Name.enableAutoReload),
        inversion: .prefixedNo,
        help: "Apply the configuration file when it has changed."
    )
    var enableAutoReload: Bool?

    @Option(
        name: .customLong(Name.autoReloadInterval),
        help: ArgumentHelp("How often to look whether the file has changed. (default: 30s)", valueName: "duration")
    )
    var autoReloadInterval: String?

    @Option(
        name: .customLong(Name.listenAddress),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Where to listen; repeatable. An empty host means every address, IPv6 and IPv4. (default: :10319)",
            valueName: "host:port"
        )
    )
    var listenAddresses: [String] = []

    @Option(
        name: .customLong(Name.telemetryPath),
        help: ArgumentHelp("Where the metrics are. (default: /metrics)", valueName: "path")
    )
    var telemetryPath: String?

    @Option(
        name: .customLong(Name.externalURL),
        help: ArgumentHelp(
            "The URL under which browsers reach this exporter, behind a reverse proxy; its path is the route prefix.",
            valueName: "url"
        )
    )
    var externalURL: String?

    @Option(
        name: .customLong(Name.routePrefix),
        help: ArgumentHelp("Prefix of every path. (default: the path of --web.external-url)", valueName: "path")
    )
    var routePrefix: String?

    @Flag(
        name: .customLong(Name.disableExporterMetrics),
        inversion: .prefixedNo,
        help: "Leave out the metrics about the exporter itself (process_*)."
    )
    var disableExporterMetrics: Bool?

    @Flag(
        name: .customLong(Name.systemdSocket),
        inversion: .prefixedNo,
        help: "Take the listening sockets that systemd passes, instead of --web.listen-address."
    )
    var systemdSocket: Bool?

    @Flag(name: .customLong(Name.enableLifecycle), inversion: .prefixedNo, help: "Allow POST /-/reload.")
    var enableLifecycle: Bool?

    @Flag(
        name: .customLong(Name.enableAdminAPI),
        inversion: .prefixedNo,
        help: "Allow POST /api/v1/speedtest."
    )
    var enableAdminAPI: Bool?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var roots: RootOptions
    @OptionGroup var logging: LoggingOptions
}

/// Where the kernel's file systems are mounted.
struct RootOptions: ParsableArguments {
    @Option(
        name: .customLong(Options.Name.procfs),
        help: ArgumentHelp("Where procfs is mounted. (default: /proc)", valueName: "folder")
    )
    var procfs: String?

    @Option(
        name: .customLong(Options.Name.sysfs),
        help: ArgumentHelp("Where sysfs is mounted. (default: /sys)", valueName: "folder")
    )
    var sysfs: String?
}

/// Where is kept what outlives a restart.
struct StorageOptions: ParsableArguments {
    @Option(
        name: .customLong(Options.Name.storagePath),
        help: ArgumentHelp(
            "The file that keeps results, schedule and budget over a restart. (default: in memory only)",
            valueName: "file"
        )
    )
    var path: String?
}

/// What is logged, and how.
struct LoggingOptions: ParsableArguments {
    @Option(
        name: .customLong(Options.Name.logLevel),
        help: ArgumentHelp("debug, info, warn or error. (default: info)", valueName: "level")
    )
    var level: String?

    @Option(
        name: .customLong(Options.Name.logFormat),
        help: ArgumentHelp("logfmt or json. (default: logfmt)", valueName: "format")
    )
    var format: String?
}
