import Glibc
import Posix

/// Tells when the resolver's configuration may have changed (inotify(7)).
///
/// The directories are watched, because the files are replaced by renaming, and the file itself, because a container's
/// is bind-mounted and written in place.
final class ResolverWatch {
    private let descriptor: Descriptor
    private let paths: [String]

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
        // A symbolic link may lead to another directory now. Watching the same one again changes nothing.
        if concerns { watch() }
        return concerns
    }

    private var names: Set<String> {
        Set(paths.flatMap { [$0, Self.target(of: $0)] }.map { String($0[Self.nameStart(in: $0)...]) })
    }

    private func watch() {
        let changes = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)
        for path in paths.flatMap({ [$0, Self.target(of: $0)] }) {
            // A directory that does not exist is no error: then there is nothing to hear of.
            _ = inotify_add_watch(descriptor.number, String(path[..<Self.nameStart(in: path)]), changes)
            _ = inotify_add_watch(descriptor.number, path, UInt32(IN_CLOSE_WRITE))
        }
    }

    /// Where symbolic links lead; the path itself if it does not exist.
    private static func target(of path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func nameStart(in path: String) -> String.Index {
        path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
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
