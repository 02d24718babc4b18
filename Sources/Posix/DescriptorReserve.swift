import Glibc

/// Which of the process's descriptors are kept for what must not fail.
///
/// libdispatch opens `/proc/<tid>/stat` and ends the process where it cannot (EMFILE). So a socket from socket(2),
/// accept(2) or libcurl whose number is in the reserve is closed at once: its opener handles that as EMFILE. The kernel
/// gives the lowest free number, so the number shows how many are open; a count of ours would drift.
///
/// Name lookups open descriptors that nothing closes at once. Their number is bounded (``lookups``), and the reserve holds
/// what they need beside ``size``. Its first part is for HTTP connections, so that a scrape is answered while probes have
/// taken all that they may.
package struct DescriptorReserve: Sendable, Equatable {
    /// How many descriptors are kept for everything that is no socket and no lookup: files, netlink, libdispatch.
    package static let size: Int32 = 64
    /// The lowest limit at which scrapes and probes get descriptors: up to 72 are open with every feature on, and at a limit
    /// of 128 the reserve begins at 64.
    package static let minimum: Int32 = 256
    /// What one lookup holds at most: a socket and a file of the C library.
    private static let perLookup: Int32 = 2

    /// The soft limit (RLIMIT_NOFILE): descriptors have the numbers below it.
    package let limit: Int32

    package init(limit: Int32) { self.limit = max(limit, 0) }

    /// The reserve below the process's soft limit of this moment.
    package init() { self.init(softLimit: Self.limits.rlim_cur) }

    /// - Parameter softLimit: as getrlimit(2) returns it, `RLIM_INFINITY` included.
    init(softLimit: rlim_t) { self.init(limit: Int32(clamping: softLimit)) }

    /// How many resolvers a process has: for the targets, for the internet checks, and for everything else.
    private static let resolvers: Int32 = 3

    /// How many lookups may be under way in one resolver: a 64th of the limit, 2 to 32.
    package var lookups: Int32 { min(max(limit / 64, 2), 32) }

    /// The part for HTTP connections: an eighth of the limit, at most 64.
    private var connections: Int32 { min(limit / 8, 64) }

    /// The first number in the reserve; it never takes more than half of a small limit, so that something may be opened.
    package var start: Int32 { limit - min(Self.size + allLookups + connections, limit / 2) }

    /// What all lookups hold at most.
    private var allLookups: Int32 { Self.resolvers * lookups * Self.perLookup }

    /// Whether a socket with this number must be closed at once.
    package func contains(_ number: Int32) -> Bool { number >= start }

    /// Whether an accepted connection with this number must be closed at once.
    package func containsConnection(_ number: Int32) -> Bool { number >= start + connections }

    /// Raises the soft limit to the hard one, where it is lower; for the start of the process.
    ///
    /// - Returns: the reserve below the limit that holds from now on.
    @discardableResult
    package static func raiseLimit() -> Self {
        var limits = limits
        if limits.rlim_cur < limits.rlim_max {
            limits.rlim_cur = limits.rlim_max
            // Refused only above fs.nr_open: then the old limit holds.
            _ = setrlimit(resource, &limits)
        }
        return Self()
    }

    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }

    private static var limits: rlimit {
        var limits = rlimit()
        // Fails only where a seccomp filter denies prlimit64(2).
        return getrlimit(resource, &limits) == 0 ? limits : limitsAtStart
    }

    /// The limits as procfs had them when they were first needed, which is while the process starts.
    private static let limitsAtStart =
        SmallFile.text("/proc/self/limits").flatMap { Self.limits(in: $0) } ?? rlimit(rlim_cur: 1024, rlim_max: 4096)

    /// The limits of open files in `/proc/<pid>/limits`.
    static func limits(in text: String) -> rlimit? {
        let name = "Max open files"
        guard let line = text.utf8.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: name.utf8) })
        else { return nil }
        let fields = line.dropFirst(name.utf8.count).split(separator: UInt8(ascii: " ")).map { Substring($0) }
        func number(_ field: Substring) -> rlim_t? { field == "unlimited" ? .max : rlim_t(field) }
        guard fields.count >= 2, let soft = number(fields[0]), let hard = number(fields[1]) else { return nil }
        return rlimit(rlim_cur: soft, rlim_max: hard)
    }
}
