package import FoundationEssentials
package import HTTPTransfer
package import Posix

/// The result of one probe.
package struct ProbeResult: Sendable, Equatable {
    /// nil: it succeeded, or was cancelled.
    package var failure: ProbeFailure?
    /// Describes the failure, with the address; empty on success.
    package var detail = ""
    /// From start to end, including name resolution.
    package var duration: Duration = .zero
    /// The round trip measured by the kernel: icmp and tcp.
    package var rtt: Duration?
    /// tcp: the kernel has sent the SYN again, as it or its answer was lost, or the answer late.
    ///
    /// `rtt` is then that of the repeated SYN; nil where another one was answered, or it is not known which.
    package var isRepeated = false
    package var phases = TransferPhases()
    /// icmp: from the address to a socket that can send to it; nil: by another method.
    package var setup: Duration?
    /// icmp: the hops that were left to the reply.
    package var hopLimit: UInt8?
    /// The ICMP error that came back for a packet of it, where it failed: who refused it, and why.
    package var refusal: Refusal?
    /// How it was measured; nil: it ended before.
    package var method: ProbeMethod?
    /// The last address tried.
    package var address: IPAddress?
    /// The device that the socket was bound to.
    package var device: String?
    package var http: HTTPFacts?
    package var dns: DNSFacts?
    /// The earliest expiry in the certificate chain.
    package var certificateExpiry: Date?
    /// nil: no TLS, or no complete handshake.
    package var tls: TLSFacts?
    /// Payload of TCP, UDP and ICMP, including TLS and its handshakes.
    package var sentBytes: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    /// This process ended it, by a reload or a stop: it is not a result of the target.
    package var isCancelled = false
    /// Whether a router that did not answer answers the kernel; nil: not asked, or the kernel does not say.
    package var isNeighbour: Bool?
    /// When it answered the kernel last; nil: not known.
    package var confirmedAt: ContinuousClock.Instant?
    /// nil: it says whether the target is up.
    package var inconclusive: Inconclusive?

    package init(failure: ProbeFailure? = nil, detail: String = "") {
        self.failure = failure
        self.detail = detail
    }

    package var isSuccess: Bool { failure == nil && !isCancelled && inconclusive == nil }

    /// Of a probe that this process ended.
    package static var cancelled: ProbeResult {
        var result = ProbeResult()
        result.isCancelled = true
        return result
    }
}

/// How the round trip was measured, or the protocol of the probe.
package enum ProbeMethod: String, Sendable, CaseIterable {
    /// An unprivileged ICMP socket.
    case icmpDatagram = "icmp_datagram"
    /// A raw ICMP socket (CAP_NET_RAW).
    case icmpRaw = "icmp_raw"
    /// The kernel's measurement of a TCP handshake.
    case tcpHandshake = "tcp_handshake"
    case udp
    case tcp
    case http
}

package struct HTTPFacts: Sendable, Equatable {
    package var status: Int
    package var version: String
    /// nil: unknown.
    package var contentLength: Int64?
    /// nil: not given, or no date.
    package var lastModified: Date?
    package var bodyBytes: UInt64 = 0
    /// nil: no pattern is configured.
    package var bodyMatched: Bool?
    package init(status: Int, version: String) {
        self.status = status
        self.version = version
    }
}

package struct DNSFacts: Sendable, Equatable {
    /// RFC 1035 4.1.1 and RFC 6895: 0 NOERROR, 2 SERVFAIL, 3 NXDOMAIN and so on.
    package var responseCode: Int
    package var answers: Int
    package var authorities: Int
    package var additionals: Int
    package init(responseCode: Int, answers: Int, authorities: Int, additionals: Int) {
        self.responseCode = responseCode
        self.answers = answers
        self.authorities = authorities
        self.additionals = additionals
    }
}

extension ProbeResult {
    /// The same, but `unreachable` if there was no path and nothing can have been sent.
    func seen(from context: ProbeContext) -> ProbeResult {
        guard !context.isConnected, failure == .resolve || failure == .timeout else { return self }
        var result = self
        result.failure = .unreachable
        return result
    }
}
