package import Posix

/// What a pulse uses besides pings; by default nothing answers.
package struct PulseTools: Sendable {
    /// Asks a name server for the address of a name.
    var query: @Sendable (_ name: String, _ server: IPAddress, _ timeout: Duration) async -> ProbeResult
    /// Whether the kernel knows the hardware address of a router.
    var isNeighbour: @Sendable (ProbeContext.Gateway) async -> Bool
    /// Grows with each change of a link or route.
    var kernelChanges: @Sendable () -> UInt64

    package init(
        query: @escaping @Sendable (_ name: String, _ server: IPAddress, _ timeout: Duration) async -> ProbeResult = {
            _,
            _,
            _ in .cancelled
        },
        isNeighbour: @escaping @Sendable (ProbeContext.Gateway) async -> Bool = { _ in false },
        kernelChanges: @escaping @Sendable () -> UInt64 = { 0 }
    ) {
        (self.query, self.isNeighbour, self.kernelChanges) = (query, isNeighbour, kernelChanges)
    }
}

extension Pulse {
    /// Sends the beacon; nil where there is none, and where it says nothing.
    func send(
        with pinging: any Pinging,
        _ tools: PulseTools
    ) async -> (source: RoundTriggers.Source, result: ProbeResult)? {
        guard let beacon, let source else { return nil }
        var result: ProbeResult
        switch beacon {
        case .literal(let address):
            result = await pinging.ping(ProbeContext.Gateway(address: address), timeout: Self.timeout)
        case .query(let name, let server):
            result = await tools.query(name, server, Self.timeout)
            // The name server works where it says that the name has no such address (NOERROR, NXDOMAIN).
            if result.failure == .rcode, [0, 3].contains(result.dns?.responseCode) { result.failure = nil }
        }
        return result.isCancelled || result.failure == .local || result.inconclusive != nil ? nil : (source, result)
    }

    /// Whether one of the routers answers the kernel; nothing is sent.
    func readNeighbours(with tools: PulseTools) async -> Bool {
        for gateway in gateways where await tools.isNeighbour(gateway) { return true }
        return false
    }
}
