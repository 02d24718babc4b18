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
