import FoundationEssentials
import NetworkPath
import Posix
import StrictYAML

/// The configuration file as a value; one section a key.
struct Configuration: Sendable, Equatable {
    /// A larger file is no configuration.
    static let fileLimit = 1 << 20

    var path = PathSection()

    /// Reads a file's bytes; nil is a file without a word, where everything is at its default.
    ///
    /// Throws `YAMLError`, which names the file, the line, the key and what was expected.
    static func read(
        _ content: [UInt8]?,
        file: String?,
        environment: [String: String] = Environment.process.variables
    ) throws(YAMLError) -> Configuration {
        guard let content else { return Configuration() }
        let expander = Expander(environment: environment, readFile: Self.readSecret)
        let section = YAMLType<Configuration>.section { (map) throws(YAMLError) in
            var configuration = Configuration()
            configuration.path = try map.section("path", PathSection.init)
            return configuration
        }
        return try YAML.read(content.span, file: file ?? "-", as: section, expander: expander)
    }

    /// What the path monitor is to do.
    func pathConfiguration(roots: Roots) -> PathConfiguration {
        var configuration = PathConfiguration()
        configuration.policy = path.policy
        configuration.timings = path.timings
        configuration.sysfsRoot = roots.sysfs
        return configuration
    }

    /// The effective configuration, defaults included, in the form it is read in.
    var yaml: String { path.yaml }

    private static func readSecret(_ file: String) throws(SystemError) -> String {
        String(decoding: try SmallFile.read(file), as: UTF8.self)
    }
}
