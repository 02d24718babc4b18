package import FoundationEssentials
package import HTTPTransfer
package import Posix

/// What one probe found.
package struct ProbeResult: Sendable, Equatable {
    /// nil: it succeeded, or was cancelled.
    package var failure: ProbeFailure?
    /// For people: what went wrong, with the address; empty where nothing did.
    package var detail = ""
    /// From the start to the end, name resolution included.
    package var duration: Duration = .zero
    /// The round trip that the kernel measured: icmp and tcp.
    package var rtt: Duration?
    package var phases = TransferPhases()
    /// How it was measured; nil where it did not come so far.
    package var method: ProbeMethod?
    /// What was asked in the end.
    package var address: IPAddress?
    /// The device that it was bound to.
    package var device: String?
    package var http: HTTPFacts?
    package var dns: DNSFacts?
    /// When the first certificate of the shown chain to expire does.
    package var certificateExpiry: Date?
    /// Payload of TCP, UDP and ICMP: what came and went above these, TLS and its handshakes included.
    package var sentBytes: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    /// It was ended from here, by a reload or a stop, and says nothing about the target.
    package var isCancelled = false

    package init(failure: ProbeFailure? = nil, detail: String = "") {
        self.failure = failure
        self.detail = detail
    }

    package var isSuccess: Bool { failure == nil && !isCancelled }

    /// Of a probe that was ended from here.
    package static var cancelled: ProbeResult {
        var result = ProbeResult()
        result.isCancelled = true
        return result
    }
}

/// How a round trip was measured, or what carried the probe.
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
    /// nil: not told.
    package var contentLength: Int64?
    package var bodyBytes: UInt64 = 0
    /// nil: no pattern was asked for.
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
    /// The same, but `unreachable` where the path was missing and nobody can have been asked.
    func seen(from context: ProbeContext) -> ProbeResult {
        guard !context.isConnected, failure == .resolve || failure == .timeout else { return self }
        var result = self
        result.failure = .unreachable
        return result
    }
}

/// Bytes that probes have cost, as payload of TCP, UDP and ICMP.
package struct Traffic: Sendable, Equatable {
    package var received: UInt64
    package var sent: UInt64

    package init(received: UInt64 = 0, sent: UInt64 = 0) {
        (self.received, self.sent) = (received, sent)
    }
}
