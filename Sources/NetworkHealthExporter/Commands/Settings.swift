import Glibc
import HTTPTransfer
import Logging
import MicroHTTP
import StrictYAML

/// What `serve` was told by flag, else by environment, else its default.
struct Settings: Sendable, Equatable {
    var configFile: String?
    /// Whether to read the file, say whether it is right, and end.
    var onlyChecks = false
    var autoReloads = false
    var autoReloadInterval = Duration.seconds(30)
    var listenAddresses = [":10319"]
    var telemetryPath = "/metrics"
    /// Empty, or a path that begins with a slash and does not end with one.
    var routePrefix = ""
    var exporterMetrics = true
    var usesSystemdSocket = false
    var allowsLifecycle = false
    var allowsAdminAPI = false
    /// nil: in memory only.
    var storagePath: String?
    var roots = Roots()
    var log = LogSettings()

    init() {}

    /// - Throws: `UsageError` naming the flag or variable, what was expected and what was found.
    init(_ options: Options, _ environment: Environment) throws {
        typealias Name = Options.Name
        configFile = options.configFile ?? environment.text(Name.configFile)
        onlyChecks = try options.configCheck ?? environment.isSet(Name.configCheck) ?? false
        autoReloads = try options.enableAutoReload ?? environment.isSet(Name.enableAutoReload) ?? false
        autoReloadInterval =
            try Self.choice(options.autoReloadInterval, Name.autoReloadInterval, environment, "a duration such as 30s")
        {
            DurationText.parse($0).flatMap { $0 >= .milliseconds(10) ? $0 : nil }
        } ?? autoReloadInterval
        if !options.listenAddresses.isEmpty {
            listenAddresses = options.listenAddresses
        } else if let text = environment.text(Name.listenAddress) {
            listenAddresses = text.split(separator: ",").map { String($0.filter { !$0.isWhitespace }) }
        }
        if listenAddresses.isEmpty {
            throw UsageError("\(Environment.name(of: Name.listenAddress)): expected HOST:PORT or :PORT, found none")
        }
        for address in listenAddresses where (try? ListenAddress(address)) == nil {
            let isFlag = !options.listenAddresses.isEmpty
            let source = isFlag ? "--\(Name.listenAddress)" : Environment.name(of: Name.listenAddress)
            throw UsageError("\(source): expected HOST:PORT or :PORT, found \"\(address)\"")
        }
        telemetryPath =
            try Self.choice(
                options.telemetryPath,
                Name.telemetryPath,
                environment,
                "a path such as /metrics that is not taken"
            ) {
                Routes.isFree($0) ? $0 : nil
            } ?? telemetryPath
        let externalPath = try Self.choice(
            options.externalURL,
            Name.externalURL,
            environment,
            "a URL such as https://example.com/network/",
            Self.pathOfURL
        )
        routePrefix =
            try Self.choice(options.routePrefix, Name.routePrefix, environment, "a path such as /network") {
                Self.prefix($0)
            } ?? externalPath ?? routePrefix
        exporterMetrics =
            !(try options.disableExporterMetrics ?? environment.isSet(Name.disableExporterMetrics) ?? false)
        usesSystemdSocket = try options.systemdSocket ?? environment.isSet(Name.systemdSocket) ?? false
        allowsLifecycle = try options.enableLifecycle ?? environment.isSet(Name.enableLifecycle) ?? false
        allowsAdminAPI = try options.enableAdminAPI ?? environment.isSet(Name.enableAdminAPI) ?? false
        storagePath = options.storage.path ?? environment.text(Name.storagePath)
        roots = try Roots(options.roots, environment)
        log = try LogSettings(options.logging, environment)
    }

    /// The flag's text, else its twin's, read; nil when neither is there.
    fileprivate static func choice<Value>(
        _ option: String?,
        _ flag: String,
        _ environment: Environment,
        _ expectation: String,
        _ read: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let option else { return try environment.value(flag, expecting: expectation, read) }
        guard let value = read(option) else {
            throw UsageError("--\(flag): expected \(expectation), found \"\(option)\"")
        }
        return value
    }

    /// `/a/b/` becomes `/a/b`, `/` becomes empty; nil without a leading slash.
    private static func prefix(_ text: String) -> String? {
        guard text.hasPrefix("/"), Routes.isPlain(text) else { return nil }
        var path = text
        while path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func pathOfURL(_ text: String) -> String? {
        guard let url = WebURL(text), url.query == nil, !text.contains("#") else { return nil }
        return prefix(url.path)
    }
}

/// Where the kernel's file systems are mounted; another place for a container, or a test's fixtures.
struct Roots: Sendable, Equatable {
    var procfs = "/proc"
    var sysfs = "/sys"

    init() {}

    init(_ options: RootOptions, _ environment: Environment) throws(UsageError) {
        func folder(_ option: String?, _ flag: String) throws(UsageError) -> String? {
            // A path with a slash at its end is one of a folder.
            try Settings.choice(option, flag, environment, "a folder") { access("\($0)/", F_OK) == 0 ? $0 : nil }
        }
        procfs = try folder(options.procfs, Options.Name.procfs) ?? procfs
        sysfs = try folder(options.sysfs, Options.Name.sysfs) ?? sysfs
    }
}

/// How much is logged and in which form.
struct LogSettings: Sendable, Equatable {
    enum Format: String, CaseIterable {
        case logfmt, json
    }

    var level = Logger.Level.info
    var format = Format.logfmt

    init() {}

    init(_ options: LoggingOptions, _ environment: Environment) throws(UsageError) {
        level =
            try Settings.choice(options.level, Options.Name.logLevel, environment, "debug, info, warn or error") {
                switch $0 {
                case "debug": .debug
                case "info": .info
                case "warn", "warning": .warning
                case "error": .error
                default: nil
                }
            } ?? (environment.variables[Environment.debugMode] == "1" ? .debug : level)
        format =
            try Settings.choice(options.format, Options.Name.logFormat, environment, "logfmt or json") {
                Format(rawValue: $0)
            } ?? format
    }
}
