import Posix

extension Server.Event {
    /// A sentence for the log.
    public var description: String {
        switch self {
        case .acceptPaused(let code):
            "cannot accept connections for now: \(SystemError.message(code)) (errno \(code))"
        case .acceptResumed: "connections are accepted again"
        case .diagnostic(let text): text
        }
    }
}
