import Glibc

/// Patterns of paths, with `*`, `?` and `[…]` (glob(7)).
package enum Glob {
    /// What a pattern matches at this moment, sorted; a link that leads nowhere is there too.
    ///
    /// A folder that does not exist holds nothing; one that cannot be read throws.
    package static func paths(_ pattern: String) throws(SystemError) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        let code = glob(pattern, 0, { _, code in code == ENOENT || code == ENOTDIR ? 0 : 1 }, &found)
        guard code != GLOB_NOMATCH else { return [] }
        guard code == 0 else { throw SystemError(call: "glob \(pattern)", code: code == GLOB_NOSPACE ? ENOMEM : errno) }
        return (0..<Int(found.gl_pathc)).compactMap { index in
            found.gl_pathv[index].flatMap { String(validatingCString: $0) }
        }
    }

    /// Whether a name without slashes matches; a leading dot must be in the pattern.
    package static func matches(_ name: String, _ pattern: String) -> Bool {
        fnmatch(pattern, name, Int32(FNM_PERIOD)) == 0
    }

    /// The pattern that matches this path only.
    package static func escaped(_ path: String) -> String {
        var pattern = ""
        for character in path.unicodeScalars {
            if "*?[\\".unicodeScalars.contains(character) { pattern += "\\" }
            pattern.unicodeScalars.append(character)
        }
        return pattern
    }

    /// Whether a pattern can match more than one path.
    package static func hasWildcard(_ pattern: String) -> Bool {
        var isEscaped = false
        for byte in pattern.utf8 {
            if !isEscaped, "*?[".utf8.contains(byte) { return true }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
        return false
    }
}
