import HTTPTransfer
import Posix

/// One question of a round and what came of it, for the account.
struct InternetSample: Sendable, Equatable {
    var probe: String
    var family: AddressFamily
    var failure: ProbeFailure?
    var duration: Duration
    var connecting: Connecting
    /// Whether a success proves the internet: a router or an open port does not.
    var isProof: Bool
    var receivedBytes: UInt64
    var sentBytes: UInt64

    /// How far a transfer came.
    enum Connecting: Sendable, Equatable {
        /// Nobody tried: no address was found, this machine could not, or an open connection was used.
        case none
        /// From the address to the TCP connection, or its refusal.
        case took(Duration)
        case failed
    }

    /// - Parameters:
    ///   - probe: the label.
    ///   - family: over which it was asked.
    ///   - failure: what the answer comes to.
    ///   - statistics: of the transfer.
    ///   - phase: where it ended, if it brought no answer.
    init(
        _ probe: String,
        _ family: AddressFamily,
        _ failure: ProbeFailure?,
        _ statistics: TransferStatistics,
        endedIn phase: TransferError.Phase? = nil
    ) {
        self.probe = probe
        self.family = family
        self.failure = failure
        duration = statistics.duration
        connecting =
            switch (phase, failure, statistics.phases.connect) {
            case (.resolve?, _, _), (_, .local?, _), (_, _, nil): .none
            case (.connect?, .refused?, let time?): .took(time)
            case (.connect?, _, _): .failed
            case (_, _, let time?): .took(time)
            }
        isProof = true
        receivedBytes = statistics.receivedBytes
        sentBytes = statistics.sentBytes
    }

    init(_ probe: String, _ family: AddressFamily, _ result: ProbeResult) {
        self.probe = probe
        self.family = family
        failure = result.failure
        duration = result.duration
        connecting = .none
        isProof = false
        receivedBytes = result.receivedBytes
        sentBytes = result.sentBytes
    }
}
