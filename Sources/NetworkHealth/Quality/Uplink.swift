package import NetworkPath

/// The device and the router that a measurement belongs to: it says nothing about another uplink.
package struct Uplink: Hashable, Sendable {
    /// Uplinks whose measurements are kept; a travelling host meets more, and the one measured longest ago is dropped.
    package static let limit = 8

    package var device: String
    /// The device with the route below a tunnel: a VPN over a modem is another uplink than the same VPN over Wi-Fi.
    package var underlay: String?
    package var gateway: String?

    /// nil without a path.
    package init?(_ path: Path) {
        guard path.status == .satisfied, let interface = path.interface else { return nil }
        device = interface.name
        underlay = path.tunnelCarrier?.name
        gateway = path.routersInUse.first
    }

    /// Reads a `name`; nil for `none` and `local`.
    package init?(name: String) {
        guard name != Self.none, name != Self.local else { return nil }
        let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
        // No name of a device has a slash (dev_valid_name in the kernel's net/core/dev.c).
        let devices = parts.first?.split(separator: "/", maxSplits: 1).map(String.init) ?? []
        guard let device = devices.first else { return nil }
        self.device = device
        underlay = devices.count > 1 ? devices[1] : nil
        gateway = parts.count > 1 ? parts[1] : nil
    }

    /// For the history: `eth0 192.0.2.1`, `wg0/eth0`.
    package var name: String {
        let devices = underlay.map { "\(device)/\($0)" } ?? device
        return gateway.map { "\(devices) \($0)" } ?? devices
    }

    /// For the metrics: the device, in a tunnel the one below it.
    package var label: String { underlay ?? device }

    /// The name without a path.
    package static let none = "none"
    /// The name and label of a test against an address of this host, which crosses no uplink.
    package static let local = "local"
}

/// Whether the uplink has changed, so that windows restart: each holds the measurements of one uplink; pure.
package struct UplinkChanges: Sendable {
    private var last: Uplink?

    package init() {}

    /// Takes the path from now on.
    ///
    /// - Returns: whether it leads over another uplink than the last one that did; without an uplink the windows stay.
    package mutating func take(_ path: Path) -> Bool {
        guard let new = Uplink(path) else { return false }
        defer { last = new }
        return last != nil && last != new
    }
}
