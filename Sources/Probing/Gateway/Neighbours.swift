import Coordination
import Glibc
package import Netlink
import Posix

/// Whether routers answer the kernel: ARP, and neighbour discovery for IPv6.
package protocol NeighbourReading: Sendable {
    /// What the kernel knows of the router, of one without an entry that it is in no state; nil: it cannot be read.
    func state(of gateway: ProbeContext.Gateway) async -> NeighbourState?
}

/// Reads the kernel's neighbour table; sends nothing.
package struct KernelNeighbours: NeighbourReading {
    package init() {}

    package func state(of gateway: ProbeContext.Gateway) async -> NeighbourState? {
        let answer = Gate<NeighbourState?>()
        do {
            // Requests to the kernel block.
            let thread = try LoopThread(name: "neighbours") { answer.open(with: Self.read(gateway)) }
            thread.detach()
            return await answer.wait()
        } catch {
            return nil
        }
    }

    private static func read(_ gateway: ProbeContext.Gateway) -> NeighbourState? {
        do {
            var socket = try RequestSocket()
            guard let index = try index(of: gateway, &socket) else { return Self.absent }
            return try socket.neighbour(gateway.address, interfaceIndex: index) ?? Self.absent
        } catch {
            return nil
        }
    }

    /// NUD_NONE: of a router without an entry, which has not answered lately.
    private static let absent = NeighbourState(rawValue: 0)

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
