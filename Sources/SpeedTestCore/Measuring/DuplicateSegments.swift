import Posix

/// The segments that arrived twice, on all connections of this network namespace.
///
/// The kernel reports each to its sender (DSACK, RFC 2883), and counts the reports, not by connection: `TCPDSACKOldSent` for
/// those that were in order before, `TCPDSACKOfoSent` for those beyond a hole (net/ipv4/tcp_input.c). Other programs' count,
/// too: on an idle machine there are none.
struct DuplicateSegments: Sendable {
    private let start = Self.count()

    /// Those since this value was made; 0 where the kernel does not report them.
    var count: UInt64 { start.flatMap { start in Self.count().map { $0 - min($0, start) } } ?? 0 }

    private static let names: Set<Substring> = ["TCPDSACKOldSent", "TCPDSACKOfoSent"]

    /// So far; nil where the kernel does not report them.
    static func count(procfs: String = "/proc") -> UInt64? {
        SmallFile.text("\(procfs)/thread-self/net/netstat", limit: 1 << 16).flatMap(count(in:))
    }

    /// Reads a line of names, and below it one of their values, both with the same first word; nil without all names.
    static func count(in text: String) -> UInt64? {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("TcpExt:") }.map { $0.split(separator: " ") }
        guard lines.count == 2, lines[0].count == lines[1].count else { return nil }
        let values = zip(lines[0], lines[1]).filter { names.contains($0.0) }.compactMap { UInt64($0.1) }
        guard values.count == names.count else { return nil }
        return values.reduce(0, &+)
    }
}
