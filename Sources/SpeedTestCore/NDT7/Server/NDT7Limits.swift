/// How much one ndt7 client gets.
package struct NDT7Limits: Sendable, Equatable {
    /// From the handshake to the server's Close; the protocol says ten seconds.
    package var duration = NDT7.nominalDuration
    /// How much longer the connection may last, for what is on its way, and the client's own Close behind it.
    package var grace = Duration.seconds(3)
    /// Bytes of load; nil: no limit.
    package var bytes: UInt64?
    /// Without a byte from, or taken by, the client.
    package var silence = Duration.seconds(7)
    /// TCP_CONGESTION of the connection; nil, or one that the kernel does not have: the system's.
    package var congestionControl: String?

    package init() {}

    /// The same, or less where the client asked for it: `early_exit=250` ends a download after so many megabytes.
    package func applying(query: [(name: String, value: String)], direction: Direction) -> Self {
        guard direction == .download, query.contains(where: { $0 == ("early_exit", "250") }) else { return self }
        var limits = self
        limits.bytes = min(bytes ?? .max, 250_000_000)
        return limits
    }
}
