import FoundationEssentials
import HTTPTransfer
import Posix
import StrictYAML

extension YAMLType where Value == String {
    /// A path; a relative one starts at the folder of the file in which it is.
    static var path: YAMLType {
        resolved(as: .nonEmptyString) { folder, path in folder.resolve(path) }
    }

    /// The same with a pattern (`Glob`).
    static var pattern: YAMLType {
        resolved(as: .text("a path or a pattern such as targets.d/*.yml") { $0.isEmpty ? nil : $0 }) {
            folder,
            pattern in
            folder.resolve(pattern: pattern)
        }
    }

    private static func resolved(
        as type: YAMLType,
        _ resolve: @escaping (ConfigurationFolder, String) -> String
    ) -> YAMLType {
        YAMLType(
            expectations: type.expectations,
            read: { cursor throws(YAMLError) in
                resolve(ConfigurationFolder(of: cursor.file), try type.read(cursor))
            },
            write: YAMLText.quoted
        )
    }

    /// The absolute path of a file that can be read now, such as one with a key.
    static var file: YAMLType { readable { _ in nil } }

    /// The same of CA certificates: without one no server can be verified.
    static var certificates: YAMLType {
        readable { TransferTLS.hasCertificate($0) ? nil : "expected a file with a certificate in PEM format" }
    }

    /// A file that can be read now; `error` returns what is wrong with its content, or nil.
    private static func readable(_ error: @escaping @Sendable ([UInt8]) -> String?) -> YAMLType {
        YAMLType(
            expectations: ["a file"],
            read: { cursor throws(YAMLError) in
                let path = try YAMLType.path.read(cursor)
                if let error = error(try content(of: path, at: cursor)) { throw cursor.error(error) }
                return path
            },
            write: YAMLText.quoted
        )
    }

    /// The secret in a file, without white space around it.
    static var secretFile: YAMLType {
        YAMLType(expectations: ["a file"]) { cursor throws(YAMLError) in
            let bytes = try content(of: try YAMLType.path.read(cursor), at: cursor)
            let text = String(validating: bytes, as: UTF8.self)?.trimmed
            guard let text, !text.isEmpty, HeaderText.isValue(text) else {
                throw cursor.error("expected a file with one line of text")
            }
            return text
        }
    }

    private static func content(of path: String, at cursor: YAMLCursor) throws(YAMLError) -> [UInt8] {
        do throws(SystemError) {
            return try SmallFile.read(path, limit: 4 << 20)
        } catch {
            throw cursor.error("cannot read it: \(error)")
        }
    }
}

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

    /// The same for a pattern; the folder's own name is taken literally.
    func resolve(pattern: String) -> String {
        pattern.hasPrefix("/") ? pattern : "\(Glob.escaped(path))/\(pattern)"
    }
}
