import Glibc
import HTTPTransfer
import Logging
import MicroHTTP
import NetworkPath
import Posix
import StrictYAML

/// The settings of `serve`: by flag, else by environment, else by default.
struct Settings: Sendable, Equatable {
    var configFile: String?
    /// Whether to read the file, report whether it is valid, and exit.
    var onlyChecks = false
    var autoReloads = false
    var autoReloadInterval = Duration.seconds(30)
    var listenAddresses = [":10319"]
    /// TLS and users of the web server; nil: neither.
    var webConfigFile: String?
    /// Where only health is served; nil: nowhere.
    var healthListenAddress: String?
    var telemetryPath = "/metrics"
    /// Where browsers and Prometheus reach this exporter; nil: not configured.
    var externalURL: WebURL?
    /// Empty, or a path that begins with a slash and does not end with one.
    var routePrefix = ""
    var exporterMetrics = true
    var usesSystemdSocket = false
    var allowsLifecycle = false
    var allowsAdminAPI = false
    /// Names by which browsers reach this exporter, beside those that it knows itself.
    var allowedHosts: [String] = []
    /// nil: in memory only.
    var storagePath: String?
    var speedTest = SpeedTestSettings()
    var path = PathSettings()
    /// nil: that of the configuration file.
    var hostURL: String?
    var log = LogSettings()
    /// The page shows what is made for developers.
    var debug = false

    init() {}

    /// - Throws: `UsageError` with the flag or variable, what was expected and what was found.
    init(_ options: Options, _ environment: Environment) throws {
        configFile = options.configFile ?? environment.text(.configFile)
        onlyChecks = try options.configCheck ?? environment.isSet(.configCheck) ?? false
        autoReloads = try options.enableAutoReload ?? environment.isSet(.enableAutoReload) ?? false
        autoReloadInterval =
            try Self.choice(options.autoReloadInterval, .autoReloadInterval, environment, "a duration such as 30s") {
                DurationText.parse($0).flatMap { $0 >= .milliseconds(10) ? $0 : nil }
            } ?? autoReloadInterval
        if !options.listenAddresses.isEmpty {
            listenAddresses = options.listenAddresses
        } else if let list = environment.list(.listenAddress) {
            listenAddresses = list
        }
        if listenAddresses.isEmpty {
            throw UsageError("\(FlagName.listenAddress.variable): expected \(Self.listenExpectation), found none")
        }
        for address in listenAddresses where (try? ListenAddress(address)) == nil {
            let isFlag = !options.listenAddresses.isEmpty
            let source = isFlag ? "\(FlagName.listenAddress)" : FlagName.listenAddress.variable
            throw UsageError("\(source): expected \(Self.listenExpectation), found \(JSONText.quoted(address))")
        }
        webConfigFile = options.webConfigFile ?? environment.text(.webConfigFile)
        healthListenAddress =
            try Self.choice(
                options.healthListenAddress,
                .healthListenAddress,
                environment,
                Self.listenExpectation
            ) {
                (try? ListenAddress($0)) == nil ? nil : $0
            }
        telemetryPath =
            try Self.choice(
                options.telemetryPath,
                .telemetryPath,
                environment,
                "a path such as /metrics that is not taken"
            ) {
                WebServer.isFree($0) ? $0 : nil
            } ?? telemetryPath
        externalURL = try Self.choice(
            options.externalURL,
            .externalURL,
            environment,
            "a URL such as https://example.com/network/",
            Self.externalURL
        )
        routePrefix =
            try Self.choice(options.routePrefix, .routePrefix, environment, "a path such as /network") {
                Self.prefix($0)
            } ?? externalURL.flatMap { Self.prefix($0.path) } ?? routePrefix
        exporterMetrics =
            !(try options.disableExporterMetrics ?? environment.isSet(.disableExporterMetrics) ?? false)
        usesSystemdSocket = try options.systemdSocket ?? environment.isSet(.systemdSocket) ?? false
        allowsLifecycle = try options.enableLifecycle ?? environment.isSet(.enableLifecycle) ?? false
        allowedHosts = try Self.allowedHosts(options, environment)
        allowsAdminAPI = try options.enableAdminAPI ?? environment.isSet(.enableAdminAPI) ?? false
        storagePath = options.storage.path ?? environment.text(.storagePath)
        hostURL = try Self.hostURL(options.hostURL, environment)
        speedTest = try SpeedTestSettings(options.speedTest, environment)
        path = try PathSettings(options.path, environment)
        log = try LogSettings(options.logging, environment)
        debug = environment.isDebug
    }

    private static let listenExpectation = "HOST:PORT, [IPv6]:PORT or :PORT"

    /// Settings that have no effect, a sentence each.
    var warnings: [String] {
        guard autoReloads, configFile == nil else { return [] }
        return ["\(FlagName.enableAutoReload): without \(FlagName.configFile) there is no file to apply"]
    }

    /// Sets what flags and variables decide, in a configuration that was read.
    @Sendable func override(_ configuration: inout Configuration) {
        speedTest.override(&configuration)
        configuration.followHost(hostURL)
    }

    /// Whether these settings allow a configuration; `hasUsers`: every request needs a password.
    ///
    /// - Throws: `UsageError` for a queue that would lose requests, or that everybody could use.
    func check(_ configuration: Configuration, hasUsers: Bool) throws {
        guard configuration.offlineQueue.isEnabled else { return }
        guard storagePath != nil else {
            throw UsageError("offline_queue.enabled: expected \(FlagName.storagePath), so that no request is lost")
        }
        let hasToken = configuration.offlineQueue.bearerToken != nil
        guard !hasToken || !hasUsers else {
            throw UsageError(
                """
                offline_queue.bearer_token_file: expected none beside basic_auth_users of \(FlagName.webConfigFile), since \
                a request has only one header Authorization
                """
            )
        }
        guard hasToken || hasUsers || listensOnLoopbackOnly else {
            throw UsageError(
                """
                offline_queue.enabled: expected offline_queue.bearer_token_file, or basic_auth_users in the file of \
                \(FlagName.webConfigFile), or \(FlagName.listenAddress) with addresses of loopback only such as \
                127.0.0.1:10319
                """
            )
        }
    }

    private static func allowedHosts(_ options: Options, _ environment: Environment) throws(UsageError) -> [String] {
        let isFlag = !options.allowedHosts.isEmpty
        let names = isFlag ? options.allowedHosts : environment.list(.allowedHost) ?? []
        for name in names where !KnownNames.isAllowed(name) {
            let source = isFlag ? "\(FlagName.allowedHost)" : FlagName.allowedHost.variable
            throw UsageError(
                source,
                expected: "a name without a port, or a suffix such as .monitoring.svc",
                found: name
            )
        }
        return names
    }

    private var listensOnLoopbackOnly: Bool {
        !usesSystemdSocket
            && listenAddresses.allSatisfy { address in
                let host = (try? ListenAddress(address))?.host ?? ""
                return host == "localhost" || IPAddress(host)?.isLoopback == true
            }
    }

    /// The exporter of the host by flag, else by environment; nil for the commands without the flag.
    static func hostURL(_ text: String?, _ environment: Environment) throws(UsageError) -> String? {
        try choice(text, .hostURL, environment, "an http or https URL such as http://192.0.2.1:10319") {
            let url = HostPort.bracketed(url: $0)
            return WebURL(url).map { $0.userInfo == nil } == true && HostSection.isBase(url) ? url : nil
        }
    }

    /// The flag's text, else its twin's, read; nil when neither is there.
    static func choice<Value>(
        _ option: String?,
        _ flag: FlagName,
        _ environment: Environment,
        _ expectation: String,
        _ read: (String) -> Value?
    ) throws(UsageError) -> Value? {
        guard let option else { return try environment.value(flag, expecting: expectation, read) }
        guard let value = read(option) else {
            throw UsageError("\(flag)", expected: expectation, found: option)
        }
        return value
    }

    /// `/a/b/` becomes `/a/b`, `/` becomes empty; nil without a leading slash.
    private static func prefix(_ text: String) -> String? {
        guard text.hasPrefix("/"), WebServer.isPlain(text) else { return nil }
        var path = text
        while path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func externalURL(_ text: String) -> WebURL? {
        guard let url = WebURL(text), url.query == nil, !text.contains("#") else { return nil }
        return prefix(url.path) == nil ? nil : url
    }
}

/// How the path is evaluated, by the flags and variables that every command with a path shares.
struct PathSettings: Sendable, Equatable {
    var roots = Roots()
    var flags = PathPolicy.Flags()

    init() {}

    init(_ options: PathOptions, _ environment: Environment) throws(UsageError) {
        func decision(_ option: String?, _ flag: FlagName) throws(UsageError) -> Bool? {
            try Settings.choice(option, flag, environment, "auto, true or false") { text -> Bool?? in
                switch text {
                case "auto": .some(nil)
                case "true": true
                case "false": false
                default: nil
                }
            } ?? nil
        }
        roots = try Roots(options, environment)
        flags.expensive = try decision(options.expensive, .expensive)
        flags.constrained = try decision(options.constrained, .constrained)
    }
}

/// Where the kernel's file systems are mounted; another place for a container, or a test's fixtures.
struct Roots: Sendable, Equatable {
    var procfs = "/proc"
    var sysfs = "/sys"

    init() {}

    init(_ options: PathOptions, _ environment: Environment) throws(UsageError) {
        func folder(_ option: String?, _ flag: FlagName) throws(UsageError) -> String? {
            // With a slash at its end, only a folder is found.
            try Settings.choice(option, flag, environment, "a folder") { access("\($0)/", F_OK) == 0 ? $0 : nil }
        }
        procfs = try folder(options.procfs, .procfs) ?? procfs
        sysfs = try folder(options.sysfs, .sysfs) ?? sysfs
    }
}

/// The level and the format of the log.
struct LogSettings: Sendable, Equatable {
    enum Format: String, CaseIterable {
        case logfmt, json
    }

    var level = Logger.Level.info
    var format = Format.logfmt

    init() {}

    init(_ options: LoggingOptions, _ environment: Environment) throws(UsageError) {
        level =
            try Settings.choice(options.level, .logLevel, environment, "debug, info, warn or error") {
                switch $0 {
                case "debug": .debug
                case "info": .info
                case "warn", "warning": .warning
                case "error": .error
                default: nil
                }
            } ?? (environment.isDebug ? .debug : level)
        format =
            try Settings.choice(options.format, .logFormat, environment, "logfmt or json") {
                Format(rawValue: $0)
            } ?? format
    }
}

extension Configuration {
    /// Sets the exporter of the host, unless nil; where one is followed, it probes the internet for all its containers.
    mutating func followHost(_ url: String?) {
        if let url { host.url = url }
        if host.url != nil { internet.isEnabled = false }
    }
}
