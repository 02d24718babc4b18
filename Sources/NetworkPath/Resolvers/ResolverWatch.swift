import Glibc
import Posix

/// Tells when the resolver's configuration may have changed (inotify(7)).
///
/// The directories are watched, because the files are replaced by renaming, and the file itself, because a container's
/// is bind-mounted and written in place. Where a directory does not exist yet, its nearest ancestor is watched for it.
final class ResolverWatch {
    private let descriptor: Descriptor
    private let paths: [String]
    /// What to look for in the directories watched.
    private var names: Set<String> = []

    /// Watches these files, which need not exist.
    init(paths: [String]) throws(SystemError) {
        descriptor = try Descriptor(owning: inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)), from: "inotify_init1")
        self.paths = paths
        watch()
    }

    /// For `poll`, which reports it readable after a change.
    var number: Int32 { descriptor.number }

    /// Takes what has happened; true if it may concern one of the files.
    func drain() -> Bool {
        var concerns = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor.number, &buffer, buffer.count)
            guard count > 0 else { break }
            concerns = concerns || InotifyNames.contains(buffer[..<count], anyOf: names)
        }
        if concerns { watch() }
        return concerns
    }

    /// Watches what there is to watch now; watching the same again changes nothing.
    func watch() {
        names = []
        for path in paths {
            watch(path)
            if let target = WatchedPath.target(of: path) { watch(target) }
        }
    }

    private func watch(_ path: String) {
        _ = inotify_add_watch(descriptor.number, path, UInt32(IN_CLOSE_WRITE))
        let changes = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)
        var (directory, name) = WatchedPath.split(path)
        while inotify_add_watch(descriptor.number, directory, changes) < 0, errno == ENOENT, directory != "/" {
            (directory, name) = WatchedPath.split(directory)
        }
        names.insert(name)
    }
}

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

/// The names in a buffer of `struct inotify_event`.
enum InotifyNames {
    /// Whether an event is about one of `names`, or about a watched file itself, which has no name.
    static func contains(_ events: ArraySlice<UInt8>, anyOf names: Set<String>) -> Bool {
        // wd, mask, cookie and length, 32 bits each; then the name, padded with zeros to that length.
        let header = 16
        var rest = events
        while rest.count >= header {
            let lengthBytes = rest[(rest.startIndex + 12)..<(rest.startIndex + header)]
            let length = lengthBytes.reversed().reduce(0) { $0 << 8 | Int($1) }
            guard rest.count - header >= length else { return true }
            let name = rest[(rest.startIndex + header)..<(rest.startIndex + header + length)]
            if length == 0 || names.contains(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)) { return true }
            rest = rest[(rest.startIndex + header + length)...]
        }
        return false
    }
}
