import Netlink
import Posix

/// Reads the established TCP connections of this network namespace, and which of them are our own.
///
/// Every call blocks for milliseconds: never call it on the cooperative pool.
struct FlowSource: ~Copyable {
    /// nil after a failure: the next call opens another.
    private var socket: RequestSocket?

    /// The flows of both families, and the inodes of this process's sockets.
    mutating func read() throws(NetlinkError) -> (flows: [TCPFlow], own: Set<UInt32>) {
        var socket: RequestSocket
        if let open = self.socket.take() { socket = open } else { socket = try .diagnostics() }
        // Before and after: a socket of ours that opens or closes meanwhile is in one of them.
        let before = try Self.own()
        var flows = try socket.tcpFlows(sockets: .ipv4).elements
        flows += try socket.tcpFlows(sockets: .ipv6).elements
        let after = try Self.own()
        self.socket = consume socket
        return (flows, before.union(after))
    }

    private static func own() throws(NetlinkError) -> Set<UInt32> {
        do { return try OwnSockets.inodes() } catch { throw .system(error) }
    }
}
