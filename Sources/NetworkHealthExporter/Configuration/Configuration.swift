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

    /// Reads what was read of the configuration file, and then the files of its `targets_files`.
    ///
    /// - Throws: `SystemError` for a file that could not be read; `YAMLErrors`, which name the file, the line, the key and
    ///   what was expected.
    static func read(
        _ sources: inout ConfigurationSources,
        environment: [String: String] = Environment.process.variables
    ) throws -> Configuration {
        guard let file = sources.main else { return Configuration() }
        return try read(file.content.get(), file: file.path, &sources, environment)
    }

    /// Reads a file's bytes, and the files that it names.
    static func read(
        _ content: [UInt8],
        file: String,
        environment: [String: String] = Environment.process.variables
    ) throws(YAMLErrors) -> Configuration {
        var sources = ConfigurationSources()
        return try read(content, file: file, &sources, environment)
    }

    private static func read(
        _ content: [UInt8],
        file: String,
        _ sources: inout ConfigurationSources,
        _ environment: [String: String]
    ) throws(YAMLErrors) -> Configuration {
        let expander = Expander(environment: environment, readFile: Self.readSecret)
        let folder = ConfigurationFolder(of: file)
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
        var (configuration, targets, wanted) = try YAML.read(content.span, file: file, as: section, expander: expander)
        sources.patterns = configuration.targets.patterns
        sources.readTargetsFiles()
        var errors: [YAMLError] = []
        for file in sources.targetsFiles {
            do throws(YAMLErrors) {
                configuration.targets.files.append(try targets.add(file, expander: expander))
            } catch {
                errors += error.errors
            }
        }
        // A file of targets may come and go; until it is there, what needs it is down.
        if sources.patterns.isEmpty {
            let names = Set(configuration.targets.all.map(\.name))
            for target in wanted where !names.contains(target.value) {
                errors.append(target.error("there is no target \(JSONText.quoted(target.value))"))
            }
        }
        guard errors.isEmpty else { throw YAMLErrors(errors) }
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
