import Glibc

/// readlink(2).
package enum SymbolicLink {
    /// What a link holds, whether or not anything is there; nil for what is no link, or no UTF-8.
    package static func destination(of path: String) -> String? {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &characters, characters.count)
        guard count > 0 else { return nil }
        return String(validating: characters.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
