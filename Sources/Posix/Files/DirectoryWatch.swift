import Glibc

/// Reports that one of a set of files may have changed, been created or been removed (inotify(7)).
///
/// The directories are watched, because files are replaced by renaming, and the files themselves, because a container's
/// are bind-mounted and written in place. Where a directory does not exist yet, its nearest ancestor is watched for it.
package final class DirectoryWatch {
    private let descriptor: Descriptor
    private let patterns: [String]
    /// The names of interest in the watched directories.
    private var names: Set<String> = []

    /// Watches what these patterns (``Glob``) match, now or later.
    package init(patterns: [String]) throws(SystemError) {
        descriptor = try Descriptor(owning: inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)), from: "inotify_init1")
        self.patterns = patterns
        watch()
    }

    /// Watches these files, which need not exist.
    package convenience init(paths: [String]) throws(SystemError) {
        try self.init(patterns: paths.map(Glob.escaped))
    }

    /// For `poll`, which reports it readable after a change.
    package var number: Int32 { descriptor.number }

    /// Takes what has happened; true if it may concern one of the files.
    package func drain() -> Bool {
        var concerns = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor.number, &buffer, buffer.count)
            guard count > 0 else { break }
            concerns = concerns || InotifyEvents.concern(buffer[..<count], isWatched)
        }
        if concerns { watch() }
        return concerns
    }

    /// Watches what there is to watch now; watching the same again changes nothing.
    package func watch() {
        names = []
        for pattern in patterns {
            watchDirectories(of: pattern)
            for path in paths(pattern) {
                add(path, IN_CLOSE_WRITE)
                if let target = WatchedPath.target(of: path) {
                    add(target, IN_CLOSE_WRITE)
                    watchDirectories(of: Glob.escaped(target))
                }
            }
        }
    }

    private func watchDirectories(of pattern: String) {
        let (directory, name) = WatchedPath.split(pattern)
        names.insert(name)
        let directories = paths(directory)
        for path in directories {
            add(
                path,
                IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            )
        }
        // The creation of a directory is reported by the one above it.
        if directory != pattern, directories.isEmpty || Glob.hasWildcard(directory) { watchDirectories(of: directory) }
    }

    private func add(_ path: String, _ events: Int32) {
        // One file has one watch: that of a directory must not be narrowed to that of a file.
        _ = inotify_add_watch(descriptor.number, path, UInt32(events) | UInt32(IN_MASK_ADD))
    }

    private func paths(_ pattern: String) -> [String] { (try? Glob.paths(pattern)) ?? [] }

    private func isWatched(_ name: String) -> Bool { names.contains { Glob.matches(name, $0) } }
}

/// A buffer of `struct inotify_event`.
enum InotifyEvents {
    /// Whether an event is about a name of interest, or about a watched file itself, which has no name.
    static func concern(_ events: ArraySlice<UInt8>, _ isWatched: (String) -> Bool) -> Bool {
        // wd, mask, cookie and length, 32 bits each; then the name, padded with zeros to that length.
        let header = 16
        var rest = events
        while rest.count >= header {
            let lengthBytes = rest[(rest.startIndex + 12)..<(rest.startIndex + header)]
            let length = lengthBytes.reversed().reduce(0) { $0 << 8 | Int($1) }
            guard rest.count - header >= length else { return true }
            let name = rest[(rest.startIndex + header)..<(rest.startIndex + header + length)]
            if length == 0 || isWatched(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)) { return true }
            rest = rest[(rest.startIndex + header + length)...]
        }
        return false
    }
}

/// The parts of a path, and where it leads as a symbolic link.
enum WatchedPath {
    /// The directory and the name in it; `/` is in itself.
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
