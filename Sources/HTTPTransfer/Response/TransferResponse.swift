package import FoundationEssentials
package import Posix

/// What came back.
package struct TransferResponse: Sendable {
    package var status: Int
    /// As received, of the last answer; names compare without case.
    package var headers: [(name: String, value: String)]
    /// What `Sink.collect` kept.
    package var body: [UInt8] = []
    /// The body was longer than what `Sink.collect` keeps.
    package var isTruncated = false
    package var statistics: TransferStatistics

    package init(status: Int, headers: [(name: String, value: String)] = [], statistics: TransferStatistics = .init()) {
        self.status = status
        self.headers = headers
        self.statistics = statistics
    }

    /// The first header of that name, without regard to case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// What a transfer cost and where its time went; also known of one that failed.
package struct TransferStatistics: Sendable, Equatable {
    package var phases = TransferPhases()
    /// From the start to the end.
    package var duration: Duration = .zero
    /// What its connections carried as payload of TCP: HTTP and TLS, handshakes and repeated segments included.
    package var receivedBytes: UInt64 = 0
    package var sentBytes: UInt64 = 0
    /// Of the received ones, the answer's body as it came over the wire.
    package var bodyBytes: UInt64 = 0
    /// The other side; nil before a connection was established.
    package var remoteAddress: IPAddress?
    package var remotePort: UInt16?
    /// `1.1`, `2`.
    package var httpVersion: String?
    /// When the first certificate of the shown chain to expire does; nil without a handshake.
    package var certificateExpiry: Date?
    /// What the handshake has agreed on; nil without a complete one.
    package var tls: TLSFacts?
    /// The kernel's smoothed round trip of the connection when it was made or used (tcpi_rtt).
    package var connectionRTT: Duration?
    /// Segments that the kernel has sent again on that connection (tcpi_total_retrans).
    package var retransmissions: UInt64 = 0
    /// The last ICMP error that came back for an attempt to connect.
    package var routerError: RouterError?
    /// It ended more than two seconds after its deadline.
    ///
    /// This process did not run meanwhile, so that it may have missed a step, such as the request after the handshake: a
    /// time-out may be its own.
    package var isLate = false

    package init() {}
}

/// One after the other; they add up to the duration.
///
/// nil: the transfer did not come so far, or had no such phase.
package struct TransferPhases: Sendable, Equatable {
    /// To an address; zero for a literal one.
    package var resolve: Duration?
    /// To a TCP connection; nil where an open one was used.
    package var connect: Duration?
    /// The TLS handshake.
    package var tls: Duration?
    /// From the request's start to the first byte of the answer.
    package var processing: Duration?
    /// From there to the last byte.
    package var transfer: Duration?

    package init() {}
}
