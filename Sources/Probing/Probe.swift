package import HTTPTransfer
package import Posix

/// A kind of probe; as a value, what one target asks with it.
///
/// A new kind is one type in a file of its own, such as ``DNSProbe``. The executable's `ProbeModule` adds its keys of the
/// configuration and its metrics.
package protocol Probe: Sendable, Equatable {
    /// The value of the label `module` and of the key `module`.
    static var module: String { get }
    /// Whether the latency is the round trip of packets and a failure is a lost packet; else the latency is the duration
    /// of the whole exchange.
    static var measuresRoundTrip: Bool { get }
    /// The reasons for which it can fail.
    static var failures: Set<ProbeFailure> { get }
    /// The timeout of a target that does not set one.
    static var defaultTimeout: Duration { get }

    /// Probes the target once, within its timeout.
    ///
    /// Never throws: a failure is a result, and so is a cancelled task.
    func probe(_ target: Target, in context: ProbeContext, with tools: ProbeTools) async -> ProbeResult
}

extension Probe {
    package static var measuresRoundTrip: Bool { false }
    package static var defaultTimeout: Duration { .seconds(2) }
}

/// What all probes of a process share.
package struct ProbeTools: Sendable {
    package let transfers: any HTTPTransferring
    package let resolver: any NameResolving
    /// Waits for sockets.
    package let readiness: Readiness
    package let pinger: Pinger
    package let handshakes: HandshakeTimer
    package let neighbours: any NeighbourReading

    package init(
        transfers: any HTTPTransferring,
        resolver: any NameResolving,
        readiness: Readiness,
        pinger: Pinger,
        handshakes: HandshakeTimer,
        neighbours: any NeighbourReading = KernelNeighbours()
    ) {
        self.transfers = transfers
        self.resolver = resolver
        self.readiness = readiness
        self.pinger = pinger
        self.handshakes = handshakes
        self.neighbours = neighbours
    }

    /// Probes the addresses of a target's host, or the router that `_gateway` means, until one is not a dead end.
    ///
    /// - Parameters:
    ///   - host: ignored if the target is the gateway.
    ///   - port: of the addresses that `ask` receives.
    ///   - target: whose timeout, family and device apply.
    ///   - context: has the router.
    ///   - ask: probes one address through a device (nil: any) until a deadline.
    /// - Returns: the result of the last address.
    func probeAddresses(
        of host: String,
        port: UInt16 = 0,
        for target: Target,
        in context: ProbeContext,
        _ ask: (SocketAddress, _ device: String?, _ deadline: ContinuousClock.Instant) async -> ProbeResult
    ) async -> ProbeResult {
        guard target.isGateway else {
            return await resolver.tryAddresses(of: host, port: port, for: target) {
                await ask($0, target.interface, $1)
            }
        }
        guard let gateway = context.gateway(for: target) else {
            return ProbeResult(failure: .unreachable, detail: "the path has no such gateway")
        }
        let start = ContinuousClock.now
        let device = target.interface ?? gateway.neededDevice
        var result = await ask(SocketAddress(gateway.address, port: port), device, start + target.timeout)
        result.address = gateway.address
        result.device = device
        result.duration = .now - start
        return result
    }
}

extension NameResolving {
    /// Resolves the target's host, then asks its addresses one after the other until one is no dead end.
    ///
    /// An address is a dead end where the kernel or a router says so at once, as for an IPv6 address on a path of IPv4
    /// alone: no time has gone by then. One that is silent uses up the time and is the last.
    func tryAddresses(
        of host: String,
        port: UInt16,
        for target: Target,
        _ ask: (SocketAddress, _ deadline: ContinuousClock.Instant) async -> ProbeResult
    ) async -> ProbeResult {
        let start = ContinuousClock.now
        let deadline = start + target.timeout
        var result: ProbeResult
        do {
            let addresses = try await addresses(of: host, family: target.family, until: deadline)
            let resolved = ContinuousClock.now
            // The resolver gives up in time. Since then this process got no processor, and nothing was asked.
            let isLate = resolved >= deadline && IPAddress(host) == nil
            result =
                isLate
                ? ProbeResult(failure: .local, detail: "\(host): this process ran too late")
                : ProbeResult(failure: .resolve, detail: "\(host) has no address")
            var best = 0
            for var address in addresses where !isLate {
                address.port = port
                var next = await ask(address, deadline)
                next.address = address.ip
                guard let weight = next.failure?.weightOfDeadEnd else {
                    result = next
                    break
                }
                // A refusal says more about the target than an address of a family that this path does not carry.
                if weight >= best { (result, best) = (next, weight) }
            }
            result.phases.resolve = resolved - start
        } catch {
            result = ProbeResult(failure: ProbeFailure(error), detail: "\(host) cannot be resolved: \(error)")
        }
        result.device = target.interface
        result.duration = ContinuousClock.now - start
        return result
    }
}

extension ProbeFailure {
    /// How much a failure after which the next address is tried says about the target; nil: no other address is tried.
    fileprivate var weightOfDeadEnd: Int? {
        switch self {
        case .unreachable: 0
        case .local: 1
        case .refused: 2
        default: nil
        }
    }

    fileprivate init(_ error: LookupError) {
        switch error {
        case .noAddress: self = .resolve
        case .noDevice: self = .noInterface
        case .localLimit: self = .local
        }
    }
}

/// What a probe must know about the current path.
package struct ProbeContext: Sendable, Equatable {
    /// The routers of the path, in order of preference.
    package var gateways: [Gateway]
    package var isConnected: Bool
    package var isExpensive: Bool
    package var isConstrained: Bool
    /// The next hop is the host of a container.
    package var isContainer = false
    /// The device connects two hosts, as a tunnel or a modem does.
    package var isPointToPoint = false

    package init(
        gateways: [Gateway] = [],
        isConnected: Bool = true,
        isExpensive: Bool = false,
        isConstrained: Bool = false
    ) {
        self.gateways = gateways
        self.isConnected = isConnected
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }

    /// A router; a link-local address is valid on its device only.
    package struct Gateway: Sendable, Hashable {
        package var address: IPAddress
        /// The device in `fe80::1%eth0`; nil for an address that needs none.
        package var device: String?

        package init(address: IPAddress, device: String? = nil) {
            self.address = address
            self.device = device
        }

        /// Reads `192.0.2.1` and `fe80::1%eth0`.
        package init?(_ text: String) {
            let parts = text.split(separator: "%", maxSplits: 1)
            guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
            self.address = address
            device = parts.count == 2 ? String(parts[1]) : nil
        }

        /// The device that the socket must be bound to: that of a link-local IPv6 address.
        var neededDevice: String? { address.family == .ipv6 && address.isLinkLocal ? device : nil }
    }

    /// The router that the address `_gateway` of a target means: of its family, on its device; nil: there is none.
    func gateway(for target: Target) -> Gateway? {
        gateways.first { gateway in
            (target.family == nil || gateway.address.family == target.family)
                && (target.interface == nil || gateway.device == nil || gateway.device == target.interface)
        }
    }
}
