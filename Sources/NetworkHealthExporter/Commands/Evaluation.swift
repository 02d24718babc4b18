import ArgumentParser
import NetworkHealth
import NetworkPath
import Probing

/// What `snapshot` and `watch` share: they evaluate the network themselves, without a running exporter.
struct Evaluation: ParsableArguments {
    @Option(
        name: .customLong(Options.Name.configFile),
        help: ArgumentHelp("The YAML configuration file, for its path, internet and speedtest.", valueName: "file")
    )
    var configFile: String?

    @OptionGroup var roots: RootOptions

    /// What an evaluation takes at most.
    static let limit = Duration.seconds(5)

    /// What the configuration file says; all defaults without one.
    func configuration() throws -> Configuration {
        try ConfigurationStore(file: configFile ?? Environment.process.text(Options.Name.configFile)).current
    }

    /// Hands a monitor to `body` that watches the path, and the internet where the configuration says so.
    ///
    /// - Parameters:
    ///   - configuration: its sections of the path and of the internet.
    ///   - limit: what one question to the internet may take at most, whatever the configuration says.
    ///   - body: nothing is watched any more when it returns.
    /// - Throws: `ValidationError` for a wrong root, `SystemError` where resources have run out, or what `body` throws.
    func withMonitor(
        _ configuration: Configuration,
        limit: Duration? = nil,
        _ body: (HostMonitor) async throws -> Void
    ) async throws {
        let roots = try usage { try Roots(self.roots, .process) }
        let host = HostMonitor(configuration: configuration.pathConfiguration(roots: roots))
        let internet =
            configuration.internet.isEnabled ? try Self.internet(configuration.internet, limit, host.health) : nil
        try host.start()
        defer { host.stop() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let internet { group.addTask { await internet.run() } }
            defer { group.cancelAll() }
            try await body(host)
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
