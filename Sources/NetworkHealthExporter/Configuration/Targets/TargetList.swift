import Probing
import StrictYAML

/// The targets read so far: a name may stand in one file only, and there once.
struct TargetList {
    /// Where each name was given, `exporter.yml:12`.
    private var places: [String: String] = [:]

    /// A list of targets, whose files lie in a folder.
    static func type(in folder: ConfigurationFolder) -> YAMLType<[Placed<Target>]> {
        .list(of: YAMLType.section { (map) throws(YAMLError) in try Target(reading: &map, in: folder) }.placed)
    }

    /// The targets, if their names are new.
    mutating func add(_ targets: [Placed<Target>]) throws(YAMLError) -> [Target] {
        for target in targets {
            let name = target.value.name
            if let place = places[name] {
                throw target.error("the name \(JSONText.quoted(name)) is already taken at \(place)")
            }
            places[name] = "\(target.file):\(target.line)"
        }
        return targets.map(\.value)
    }

    /// The targets of one of `targets_files`: a file that is a list of them.
    mutating func add(
        _ file: ConfigurationSources.File,
        expander: Expander
    ) throws(YAMLErrors) -> TargetsSection.File {
        let content: [UInt8]
        switch file.content {
        case .success(let bytes): content = bytes
        case .failure(let error):
            throw YAMLErrors(YAMLError(file: file.path, line: 1, message: "cannot read it: \(error)"))
        }
        let type = Self.type(in: ConfigurationFolder(of: file.path))
        let targets = try YAML.read(content.span, file: file.path, as: type, expander: expander)
        do throws(YAMLError) {
            return TargetsSection.File(path: file.path, targets: try add(targets))
        } catch {
            throw YAMLErrors(error)
        }
    }
}
