import HTTPTransfer
import Netlink

/// One question of a round and what came of it, for the account.
struct InternetSample: Sendable, Equatable {
    var probe: String
    var family: AddressFamily
    var failure: ProbeFailure?
    var duration: Duration
    /// Of a transfer: from the address to the TCP connection.
    var connectTime: Duration?
    /// Whether a success proves the internet: a router or an open port does not.
    var isProof: Bool
    var receivedBytes: UInt64
    var sentBytes: UInt64

    init(_ probe: String, _ family: AddressFamily, _ failure: ProbeFailure?, _ statistics: TransferStatistics) {
        self.probe = probe
        self.family = family
        self.failure = failure
        duration = statistics.duration
        connectTime = statistics.phases.connect
        isProof = true
        receivedBytes = statistics.receivedBytes
        sentBytes = statistics.sentBytes
    }

    init(_ probe: String, _ family: AddressFamily, _ result: ProbeResult) {
        self.probe = probe
        self.family = family
        failure = result.failure
        duration = result.duration
        isProof = false
        receivedBytes = result.receivedBytes
        sentBytes = result.sentBytes
    }
}
