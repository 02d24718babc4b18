import StrictYAML

@testable import NetworkHealthExporter

extension Configuration {
    /// A section as it is printed.
    fileprivate static func yaml<Section>(
        _ path: WritableKeyPath<Configuration, Section>,
        _ section: Section,
        _ keys: String...
    ) -> String {
        var configuration = Configuration()
        configuration[keyPath: path] = section
        guard case .mapping(let entries)? = Configuration.type.write(configuration) else { return "" }
        return YAMLText.mapping(entries.filter { keys.contains($0.key) }).document
    }
}

extension PathSection { var yaml: String { Configuration.yaml(\.path, self, "path") } }
extension InternetSection { var yaml: String { Configuration.yaml(\.internet, self, "internet") } }
extension SpeedTestSection { var yaml: String { Configuration.yaml(\.speedTest, self, "speedtest") } }
extension SpeedTestServerSection {
    var yaml: String { Configuration.yaml(\.speedTestServer, self, "speedtest_server") }
}
extension HistorySection { var yaml: String { Configuration.yaml(\.history, self, "history") } }
extension RequirementsSection {
    var yaml: String { Configuration.yaml(\.requirements, self, "requirements", "health") }
}
extension TargetsSection {
    var yaml: String {
        Configuration.yaml(\.targets, self, "targets_on_expensive", "targets", "targets_files") + comments
    }
}
