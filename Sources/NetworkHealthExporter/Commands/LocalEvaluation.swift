import ArgumentParser
import FoundationEssentials
import Logging
import NetworkHealth
import NetworkPath
import Probing
import Storage

/// What `snapshot`, `watch` and `check --local` share: they evaluate the network without a running exporter.
struct LocalEvaluation: ParsableArguments {
    @Option(
        name: FlagName.configFile.long,
        help: ArgumentHelp("The YAML configuration file, for its path, internet and speedtest.", valueName: "file"),
        completion: .file()
    )
    var configFile: String?

    @OptionGroup var path: PathOptions

    /// The maximum time of an evaluation.
    static let limit = Duration.seconds(5)

    /// The host's first complete state, or the latest one when the time is over.
    ///
    /// - Parameters:
    ///   - host: watches it.
    ///   - configuration: names the exporter of the host, or none.
    ///   - needsCost: whether the answer depends on the cost of the path.
    /// - Returns: the state.
    /// - Throws: `LocalEvaluationError` where the network cannot be read.
    static func state(
        of host: HostMonitor,
        _ configuration: Configuration,
        needsCost: Bool = true
    ) async throws -> HealthState {
        let follows = configuration.host.url != nil
        let state = await host.health.firstState(within: limit) {
            $0.suffices(needsCost: needsCost, followsHost: follows)
        }
        if let state { return state }
        throw LocalEvaluationError(reason: host.path.failure)
    }

    /// The configuration file, or the defaults without one.
    func configuration() throws -> Configuration { try Self.configuration(configFile) }

    /// A file's configuration, with the speed-test server and the exporter of the host that the environment names.
    static func configuration(_ file: String?) throws -> Configuration {
        let environment = Environment.process
        let (settings, host) = try usage {
            (try SpeedTestSettings(environment), try Settings.hostURL(nil, environment))
        }
        return try ConfigurationStore(file: file ?? environment.text(.configFile)) { configuration in
            settings.override(&configuration)
            configuration.followHost(host)
        }.current
    }

    /// Runs `body` with a monitor that watches the path, and the internet where that is enabled, or follows the exporter of
    /// the host.
    ///
    /// - Parameters:
    ///   - configuration: its sections of the path, the internet and the host.
    ///   - limit: the maximum of one internet probe's timeout; nil: the configuration's.
    ///   - body: receives the monitor, which is stopped when it returns, and the follower of the host's exporter; nil: none.
    /// - Throws: `ValidationError` for a wrong root, `SystemError` where resources have run out, or what `body` throws.
    func withMonitor(
        _ configuration: Configuration,
        limit: Duration? = nil,
        _ body: (HostMonitor, HostFollower?) async throws -> Void
    ) async throws {
        let path = try usage { try PathSettings(self.path, .process) }
        let host = HostMonitor(configuration: configuration.pathConfiguration(path))
        let internet =
            configuration.internet.isEnabled ? try Self.internet(configuration.internet, limit, host.health) : nil
        let silent = Logger(label: Version.name) { _ in SwiftLogNoOpLogHandler() }
        let follower = try HostFollower(configuration.host, host: host, logger: silent)
        try host.start()
        defer { host.stop() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let internet { group.addTask { await internet.run() } }
            if let follower { group.addTask { try await follower.run() } }
            defer { group.cancelAll() }
            try await body(host, follower)
        }
        if let follower, !follower.isUp {
            let reason = follower.complaint.map { "cannot be followed: \($0)" } ?? "does not answer"
            StandardError.write("\(FlagName.hostURL): the exporter of the host \(reason); what it sees is unknown\n")
        }
    }

    private static func internet(
        _ section: InternetSection,
        _ limit: Duration?,
        _ monitor: HealthMonitor
    ) throws -> InternetWatch {
        var configuration = section.configuration
        if let limit { configuration.timeout = min(configuration.timeout, limit) }
        let internet = try InternetWatch(configuration, userAgent: Version.userAgent) { [monitor] in
            monitor.receive($0)
        }
        monitor.attachInternet { internet.pathChanged($0) }
        return internet
    }
}

/// The network could not be evaluated.
struct LocalEvaluationError: Error, CustomStringConvertible {
    let reason: String?

    var description: String { reason ?? "the network could not be evaluated within 5 s" }
}

extension HealthState {
    /// Whether a command can answer from it.
    ///
    /// On a host NetworkManager may take up to 10 s to report the cost. Only answers that depend on the cost wait for it. The exporter of
    /// the host reports the cost together with everything else that is adopted. In a container without one the cost stays unknown.
    func suffices(needsCost: Bool, followsHost: Bool) -> Bool {
        guard isComplete, !path.isCostKnown else { return isComplete }
        return !followsHost && (!needsCost || path.viewpoint == .container)
    }

    /// Whether every family of the path has its verdict, where the internet is probed.
    var isComplete: Bool {
        isOnline != nil && internet.map { !$0.families.values.contains(.unknown) } ?? true
    }
}

extension StorageOptions {
    /// The speed tests of the storage file, as an exporter has them that starts with it; none without a file.
    func speedTests(_ section: SpeedTestSection) async -> SpeedTestState {
        SpeedTestState(section: section, saved: await savedSpeedTests(), now: .now)
    }

    private func savedSpeedTests() async -> SpeedTestHistory.Saved {
        guard let file = path ?? Environment.process.text(.storagePath) else { return .init() }
        do {
            return try await SpeedTestHistory(database: .readOnly(file: file)).load()
        } catch {
            // The rest of the snapshot is still printed.
            StandardError.write("\(FlagName.storagePath): the last speed test is unknown: \(error)\n")
            return .init()
        }
    }
}
