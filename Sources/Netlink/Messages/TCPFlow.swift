package import Posix

/// An established TCP connection as sock_diag(7) describes it, with what its TCP_INFO counts.
///
/// What the kernel is too old to tell is nil. The counters wrap at 2³².
package struct TCPFlow: Sendable, Equatable {
    /// The kernel's own number of the socket, in this network namespace never given twice.
    package var cookie: UInt64
    package var local: IPAddress
    package var localPort: UInt16
    /// The peer; an IPv4-mapped one as the IPv4 address that it is.
    package var remote: IPAddress
    package var remotePort: UInt16
    /// What procfs calls `socket:[…]`; 0 while no process has accepted it.
    package var inode: UInt32 = 0
    /// The socket's owner.
    package var uid: UInt32 = 0
    /// Smoothed (`tcpi_rtt`); nil before the first measurement.
    package var rtt: Duration?
    /// The least of late, five minutes by default (`tcpi_min_rtt`, `tcp_min_rtt_wlen`).
    package var minRTT: Duration?
    /// Segments received (`tcpi_segs_in`, Linux 4.2).
    package var segmentsIn: UInt32?
    /// Segments sent (`tcpi_segs_out`, Linux 4.2), retransmissions included.
    package var segmentsOut: UInt32?
    /// Segments sent again (`tcpi_total_retrans`).
    package var retransmitted: UInt32?
    /// How long ago the peer last acknowledged something (`tcpi_last_ack_recv`), and so how fresh `rtt` is.
    package var lastReceive: Duration?

    package init(cookie: UInt64, local: IPAddress, localPort: UInt16, remote: IPAddress, remotePort: UInt16) {
        self.cookie = cookie
        self.local = local
        self.localPort = localPort
        self.remote = remote
        self.remotePort = remotePort
    }

    /// In which family its packets travel.
    package var family: AddressFamily { remote.family }
}
