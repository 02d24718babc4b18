import Posix
import StrictYAML

extension YAMLType where Value == String {
    /// The absolute path of a file that can be read now, such as one of certificates.
    static func file(in folder: ConfigurationFolder) -> YAMLType {
        YAMLType(expectations: ["a file"]) { cursor throws(YAMLError) in
            let path = folder.resolve(try YAMLType.nonEmptyString.read(cursor))
            _ = try content(of: path, at: cursor)
            return path
        }
    }

    /// The secret in a file, without white space around it.
    static func secretFile(in folder: ConfigurationFolder) -> YAMLType {
        YAMLType(expectations: ["a file"]) { cursor throws(YAMLError) in
            let path = folder.resolve(try YAMLType.nonEmptyString.read(cursor))
            let bytes = try content(of: path, at: cursor)
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
