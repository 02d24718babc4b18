import NetworkPath

/// The device and the router that a measurement belongs to.
struct Uplink: Equatable, Sendable {
    var device: String
    var gateway: String?

    /// nil while there is no way out.
    init?(_ path: Path) {
        guard path.status == .satisfied, let interface = path.interface else { return nil }
        device = interface.name
        gateway = path.gateways.first
    }

    /// For the history: `eth0 192.0.2.1`.
    var name: String { gateway.map { "\(device) \($0)" } ?? device }

    /// Where there is none, such as on a machine that only tests itself.
    static let none = "none"
}
