/// When the exporter of the host counts as silent.
enum HostSilence {
    typealias Instant = ContinuousClock.Instant

    /// The stream has a comment each 5 s, so that this is a lost connection or a stopped host.
    static let patience = Duration.seconds(15)
    /// A timer that is later than this is that of a process that did not run.
    private static let lateness = Duration.seconds(2)

    /// Until when to listen, where the time was to be over at `due`; nil: the host is silent.
    ///
    /// A process that did not run then, or whose machine slept, has not listened, and begins anew.
    static func end(after lastByte: Instant, due: Instant, at now: Instant) -> Instant? {
        guard due.duration(to: now) <= lateness else { return now + patience }
        let end = lastByte + patience
        return end > due ? end : nil
    }
}
