/// Why there is no path to tell.
public enum PathMonitorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `start()` was not called, or `cancel()` was.
    case notStarted
    /// The kernel could not be asked: the text names the call and its errno.
    case unavailable(String)
    /// The first evaluation took longer than 200 ms.
    case timedOut

    /// One line that says what failed.
    public var description: String {
        switch self {
        case .notStarted: "the path monitor is not started"
        case .unavailable(let reason): "the kernel's network state cannot be read: \(reason)"
        case .timedOut: "the first evaluation of the path took longer than 200 ms"
        }
    }
}
