package import NetworkPath

/// The device and the router that a measurement belongs to: what was measured on another says nothing here.
package struct Uplink: Hashable, Sendable {
    package var device: String
    package var gateway: String?

    /// nil while there is no way out.
    package init?(_ path: Path) {
        guard path.status == .satisfied, let interface = path.interface else { return nil }
        device = interface.name
        gateway = path.gateways.first
    }

    /// Reads a `name`; nil for `none`.
    package init?(name: String) {
        let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
        guard let device = parts.first, name != Self.none else { return nil }
        (self.device, gateway) = (device, parts.count > 1 ? parts[1] : nil)
    }

    /// For the history: `eth0 192.0.2.1`.
    package var name: String { gateway.map { "\(device) \($0)" } ?? device }

    /// Where there is none, and of a test that does not leave this machine: it says nothing of any.
    package static let none = "none"
}
