/// The parts of a path, and where it leads as a symbolic link.
enum WatchedPath {
    /// The directory and the name in it; `/` stands in itself.
    static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let directory = path[..<slash]
        return (directory.isEmpty ? "/" : String(directory), String(path[path.index(after: slash)...]))
    }

    /// Where a symbolic link leads, whether or not anything is there; nil for what is none.
    static func target(of path: String) -> String? {
        guard let link = SymbolicLink.destination(of: path) else { return nil }
        return link.hasPrefix("/") ? link : "\(split(path).directory)/\(link)"
    }
}
