import Posix

/// What became of an echo request.
enum EchoOutcome: Sendable, Equatable {
    case reply(roundTrip: Duration)
    /// No reply in time, or nobody waits any more.
    case timeout
    /// A router, or this host on behalf of one, sent an ICMP error; the errno stands for it.
    case rejected(errno: Int32)
    /// The kernel did not take it.
    case unsent(SystemError)
}
