import Glibc
import Locking
import Netlink
import Posix

/// Whether routers answer the kernel: ARP, and neighbour discovery for IPv6.
package protocol NeighbourReading: Sendable {
    /// Whether the kernel knows the hardware address of the router; false where that cannot be read.
    func isReachable(_ gateway: ProbeContext.Gateway) async -> Bool
}

/// Reads the kernel's neighbour table; sends nothing.
package struct KernelNeighbours: NeighbourReading {
    package init() {}

    package func isReachable(_ gateway: ProbeContext.Gateway) async -> Bool {
        let answer = Gate<Bool>()
        do {
            // Requests to the kernel block.
            let thread = try LoopThread(name: "neighbours") { answer.open(with: Self.read(gateway)) }
            thread.detach()
            return await answer.wait()
        } catch {
            return false
        }
    }

    private static func read(_ gateway: ProbeContext.Gateway) -> Bool {
        do {
            var socket = try RequestSocket()
            guard let index = try index(of: gateway, &socket) else { return false }
            return try socket.neighbour(gateway.address, interfaceIndex: index)?.isReachable ?? false
        } catch {
            return false
        }
    }

    /// The device that leads to it.
    private static func index(
        of gateway: ProbeContext.Gateway,
        _ socket: inout RequestSocket
    ) throws(NetlinkError) -> Int32? {
        if let device = gateway.device { return Int32(exactly: if_nametoindex(device)).flatMap { $0 > 0 ? $0 : nil } }
        guard case .route(let route) = try socket.lookup(gateway.address) else { return nil }
        return route.hops.first?.interfaceIndex
    }
}
