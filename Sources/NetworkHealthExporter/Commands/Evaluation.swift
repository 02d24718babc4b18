import ArgumentParser
import NetworkHealth

/// What `snapshot` and `watch` share: they evaluate the path themselves, without a running exporter.
struct Evaluation: ParsableArguments {
    @Option(
        name: .customLong(Options.Name.configFile),
        help: ArgumentHelp("The YAML configuration file, for its rules.", valueName: "file")
    )
    var configFile: String?

    @OptionGroup var roots: RootOptions

    /// A monitor that has started.
    func startedMonitor() throws -> HealthMonitor {
        let environment = Environment.process
        let store = try ConfigurationStore(file: configFile ?? environment.text(Options.Name.configFile))
        let roots = Roots(roots, environment)
        let monitor = HealthMonitor(configuration: store.current.pathConfiguration(roots: roots))
        try monitor.start()
        return monitor
    }
}
