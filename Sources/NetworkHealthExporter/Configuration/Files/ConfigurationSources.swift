import Posix

/// The content of the configuration file and of those that it names, as they were last read.
struct ConfigurationSources: Sendable, Equatable {
    /// One of the files that `targets_files` matches.
    struct TargetsFile: Sendable, Equatable {
        var path: String
        var content: Result<[UInt8], SystemError>
    }

    /// A larger file is no configuration.
    static let fileLimit = 1 << 20

    /// nil where everything is at its default.
    let file: String?
    var content: [UInt8]?
    /// What `targets_files` says, with absolute paths.
    var patterns: [String] = []
    /// In the order of the patterns, then of the names; each file once.
    var targetsFiles: [TargetsFile] = []

    init(file: String?, content: [UInt8]? = nil) {
        self.file = file
        self.content = content
    }

    /// Reads the configuration file.
    mutating func readFile() throws(SystemError) {
        guard let file else { return }
        content = try SmallFile.read(file, limit: Self.fileLimit)
    }

    /// Reads what the patterns match now; what cannot be read is kept as the error that it is.
    mutating func readTargetsFiles() {
        targetsFiles = []
        for pattern in patterns {
            do throws(SystemError) {
                for path in try Glob.paths(pattern) where !targetsFiles.contains(where: { $0.path == path }) {
                    targetsFiles.append(TargetsFile(path: path, content: Self.content(of: path)))
                }
            } catch {
                targetsFiles.append(TargetsFile(path: pattern, content: .failure(error)))
            }
        }
    }

    private static func content(of path: String) -> Result<[UInt8], SystemError> {
        do throws(SystemError) {
            return .success(try SmallFile.read(path, limit: fileLimit))
        } catch {
            return .failure(error)
        }
    }
}
