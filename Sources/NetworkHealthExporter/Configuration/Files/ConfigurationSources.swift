import Posix
import StrictYAML

/// The content of the configuration file and of those that it names, as they were last read.
struct ConfigurationSources: Sendable, Equatable {
    /// One of the files.
    struct File: Sendable, Equatable {
        var path: String
        /// Its bytes, or why there are none.
        var content: Result<[UInt8], SystemError>

        /// A larger file is no configuration.
        static let limit = 1 << 20

        init(path: String, content: [UInt8]) { (self.path, self.content) = (path, .success(content)) }

        init(pattern: String, failure: SystemError) { (path, content) = (pattern, .failure(failure)) }

        /// Reads it.
        init(reading path: String) {
            self.path = path
            do throws(SystemError) {
                content = .success(try SmallFile.read(path, limit: Self.limit))
            } catch {
                content = .failure(error)
            }
        }

        /// Whether it has no value: nothing but comments and white space.
        var isEmpty: Bool {
            guard case .success(let bytes) = content else { return false }
            return (try? YAML.parse(bytes.span, file: path))?.isNull ?? false
        }
    }

    /// nil where everything is at its default.
    var main: File?
    /// What `targets_files` says, with absolute paths.
    var patterns: [String] = []
    /// In the order of the patterns, then of the names; each file once.
    var targetsFiles: [File] = []

    init(main: File? = nil) { self.main = main }

    /// Reads the configuration file again.
    mutating func readMain() { main = main.map { File(reading: $0.path) } }

    /// Reads what the patterns match now; what cannot be read is kept as the error that it is.
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

    /// The files without a value.
    var emptyFiles: [String] { ([main].compactMap(\.self) + targetsFiles).filter(\.isEmpty).map(\.path) }

    /// The first file that has no value, and had one.
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

/// A file lost its content: more likely by an accident, or in the middle of its writing, than on purpose.
struct EmptyFile: Error, CustomStringConvertible {
    let path: String
    /// What to write for the same on purpose.
    let alternative: String

    var description: String { "\(path): empty, and it was not before (write \(alternative))" }
}
