import Netlink
import Posix

extension TCPFlow {
    /// A flow to the internet; nil: not reported by the kernel.
    static func make(
        _ cookie: UInt64,
        remote: String = "1.1.1.1",
        inode: UInt32 = 1,
        in segmentsIn: UInt32? = 0,
        out segmentsOut: UInt32? = 0,
        again retransmitted: UInt32? = 0,
        rtt: Duration? = .milliseconds(10),
        answer lastReceive: Duration? = .seconds(60),
        timeouts: UInt8 = 0,
        unansweredFor: Duration? = nil
    ) -> Self {
        let local = IPAddress(remote.contains(":") ? "2606:4700::2" : "9.9.9.9")
        guard let local, let remote = IPAddress(remote) else { preconditionFailure("no address: \(remote)") }
        var flow = TCPFlow(cookie: cookie, local: local, localPort: 50_000, remote: remote, remotePort: 443)
        flow.inode = inode
        flow.segmentsIn = segmentsIn
        flow.segmentsOut = segmentsOut
        flow.retransmitted = retransmitted
        flow.rtt = rtt
        flow.lastReceive = lastReceive
        (flow.timeouts, flow.unansweredFor) = (timeouts, unansweredFor)
        return flow
    }
}
