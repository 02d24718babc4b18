import FoundationEssentials
import NetworkPath
import Posix
import Probing
import StrictYAML

/// The configuration file as a value; one section a key.
struct Configuration: Sendable, Equatable {
    var path = PathSection()
    var internet = InternetSection()
    var targets = TargetsSection()
    var speedTest = SpeedTestSection()
    var requirements = RequirementsSection()
    var speedTestServer = SpeedTestServerSection()
    var history = HistorySection()

    /// Reads a file's bytes, and the files that it names; nil is a file without a word, where everything is at its
    /// default.
    ///
    /// Throws `YAMLError`, which names the file, the line, the key and what was expected.
    static func read(
        _ content: [UInt8]?,
        file: String?,
        environment: [String: String] = Environment.process.variables
    ) throws(YAMLError) -> Configuration {
        var sources = ConfigurationSources(file: file, content: content)
        return try read(&sources, environment: environment)
    }

    /// Reads what was read of the configuration file, and then the files of its `targets_files`.
    static func read(
        _ sources: inout ConfigurationSources,
        environment: [String: String] = Environment.process.variables
    ) throws(YAMLError) -> Configuration {
        guard let content = sources.content else { return Configuration() }
        let expander = Expander(environment: environment, readFile: Self.readSecret)
        let folder = ConfigurationFolder(of: sources.file)
        let section = YAMLType<(Configuration, TargetList, [Placed<String>])>.section { (map) throws(YAMLError) in
            var configuration = Configuration()
            configuration.path = try map.section("path") { (map) throws(YAMLError) in
                try PathSection(reading: &map, in: folder)
            }
            configuration.internet = try map.section("internet", InternetSection.init)
            configuration.speedTest = try map.section("speedtest") { (map) throws(YAMLError) in
                try SpeedTestSection(reading: &map, in: folder)
            }
            let targets = try configuration.targets.read(&map, in: folder)
            let wanted = try configuration.requirements.read(&map)
            configuration.speedTestServer = try map.section("speedtest_server", SpeedTestServerSection.init)
            configuration.history = try map.section("history", HistorySection.init)
            return (configuration, targets, wanted)
        }
        var (configuration, targets, wanted) = try YAML.read(
            content.span,
            file: sources.file ?? "-",
            as: section,
            expander: expander
        )
        sources.patterns = configuration.targets.patterns
        sources.readTargetsFiles()
        configuration.targets.files = try sources.targetsFiles.map { (file) throws(YAMLError) in
            try targets.add(file, expander: expander)
        }
        // A file of targets may come and go; until it is there, what needs it is down.
        if sources.patterns.isEmpty {
            let names = Set(configuration.targets.all.map(\.name))
            for target in wanted where !names.contains(target.value) {
                throw target.error("there is no target \(JSONText.quoted(target.value))")
            }
        }
        return configuration
    }

    /// What the path monitor is to do.
    ///
    /// Reads the file of `path.expensive_file`.
    func pathConfiguration(roots: Roots) -> PathConfiguration {
        var configuration = PathConfiguration()
        configuration.policy = path.policy
        configuration.policy.fileVerdict = path.expensiveFile.flatMap { ExpensiveFile(path: $0).verdict }
        configuration.timings = path.timings
        configuration.sysfsRoot = roots.sysfs
        return configuration
    }

    /// The effective configuration, defaults included and secrets masked, in the form it is read in.
    var yaml: String {
        path.yaml + internet.yaml + targets.yaml + speedTest.yaml + requirements.yaml + speedTestServer.yaml
            + history.yaml
    }

    private static func readSecret(_ file: String) throws(SystemError) -> String {
        String(decoding: try SmallFile.read(file), as: UTF8.self)
    }
}
