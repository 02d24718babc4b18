import Posix
import StrictYAML

/// The contents of the configuration file and of the files that it names, as last read.
struct ConfigurationSources: Sendable, Equatable {
    /// One of the files.
    struct File: Sendable, Equatable {
        var path: String
        /// Its bytes, or why it could not be read.
        var content: Result<[UInt8], SystemError>

        /// The maximum size in bytes.
        static let limit = 1 << 20

        init(path: String, content: [UInt8]) { (self.path, self.content) = (path, .success(content)) }

        init(pattern: String, failure: SystemError) { (path, content) = (pattern, .failure(failure)) }

        init(reading path: String) {
            self.path = path
            do throws(SystemError) {
                content = .success(try SmallFile.read(path, limit: Self.limit))
            } catch {
                content = .failure(error)
            }
        }

        /// Whether it contains only comments and white space.
        var isEmpty: Bool {
            guard case .success(let bytes) = content else { return false }
            return (try? YAML.parse(bytes.span, file: path))?.isNull ?? false
        }
    }

    /// nil: the defaults.
    var main: File?
    /// The patterns of `targets_files`, absolute.
    var patterns: [String] = []
    /// In the order of the patterns, then of the names; each file once.
    var targetsFiles: [File] = []

    init(main: File? = nil) { self.main = main }

    /// Reads the configuration file again.
    mutating func readMain() { main = main.map { File(reading: $0.path) } }

    /// Reads the files that the patterns match now; for one that cannot be read, the error is kept.
    mutating func readTargetsFiles() {
        targetsFiles = []
        for pattern in patterns {
            do throws(SystemError) {
                for path in try Glob.paths(pattern) where !targetsFiles.contains(where: { $0.path == path }) {
                    targetsFiles.append(File(reading: path))
                }
            } catch {
                targetsFiles.append(File(pattern: pattern, failure: error))
            }
        }
    }

    /// The paths of the files with nothing but comments and white space.
    var emptyFiles: [String] { ([main].compactMap(\.self) + targetsFiles).filter(\.isEmpty).map(\.path) }

    /// The first file that is empty and was not.
    func emptied(since last: ConfigurationSources) -> EmptyFile? {
        if let main, main.isEmpty, last.main?.isEmpty == false {
            return EmptyFile(path: main.path, alternative: "{} for the defaults")
        }
        let emptied = targetsFiles.first { file in
            file.isEmpty && last.targetsFiles.contains { $0.path == file.path && !$0.isEmpty }
        }
        return emptied.map { EmptyFile(path: $0.path, alternative: "[] for no targets") }
    }
}

/// A file lost its content: more likely by accident, or while it is written, than on purpose.
struct EmptyFile: Error, CustomStringConvertible {
    let path: String
    /// What to write instead to do so on purpose.
    let alternative: String

    var description: String { "\(path): empty, and it was not before (write \(alternative))" }
}
