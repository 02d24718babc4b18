import FoundationEssentials
import Posix

/// The folder of a file, from which the relative paths in it start.
struct ConfigurationFolder: Sendable {
    /// Absolute, without a slash at its end.
    let path: String

    /// The folder of no file is the working directory.
    init(of file: String?) {
        let folder = (file ?? "").split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let isAbsolute = file?.hasPrefix("/") ?? false
        let start = isAbsolute ? [] : [FileManager.default.currentDirectoryPath]
        path = (start + folder.map(String.init)).joined(separator: "/")
    }

    func resolve(_ path: String) -> String { path.hasPrefix("/") ? path : "\(self.path)/\(path)" }

    /// The same for a pattern, in which the folder stands for nothing but itself.
    func resolve(pattern: String) -> String {
        pattern.hasPrefix("/") ? pattern : "\(Glob.escaped(path))/\(pattern)"
    }
}
