package import Probing

/// Whoever finds out what is behind the path.
package protocol InternetWatching: Sendable {
    /// The path from now on: called in order, from any thread; must not block.
    func pathChanged(_ path: InternetPath)
    /// This host was asleep: what was known is old.
    func resumed()
    /// Asks until the task is cancelled.
    func run() async
}

/// Makes one that tells what it finds.
typealias InternetMonitorFactory =
    @Sendable (
        _ configuration: InternetConfiguration,
        _ onVerdict: @escaping @Sendable (InternetVerdict) -> Void
    ) throws -> any InternetWatching
