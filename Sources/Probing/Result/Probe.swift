package import Posix

/// One kind of probe: it asks the target once and tells what it found.
package protocol Probe: Sendable {
    /// Never throws: a failure is a result, and so is a cancelled task. Ends within the target's timeout.
    func probe(_ target: Target, in surroundings: ProbeSurroundings) async -> ProbeResult
}

/// What a probe must know about the path of this moment.
package struct ProbeSurroundings: Sendable, Equatable {
    /// The routers of the path, in order of preference.
    package var gateways: [Gateway]
    package var isConnected: Bool
    package var isExpensive: Bool
    package var isConstrained: Bool

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

    /// A router; a link-local one is meaningless without its device.
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
    }
}

extension ProbeSurroundings {
    /// The router that a target with the address `_gateway` means: of its family, on its device; nil: there is none.
    func gateway(for target: Target) -> Gateway? {
        gateways.first { gateway in
            (target.family == nil || gateway.address.family == target.family)
                && (target.interface == nil || gateway.device == nil || gateway.device == target.interface)
        }
    }
}
