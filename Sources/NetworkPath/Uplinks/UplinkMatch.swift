package import Posix

/// What an uplink is recognised by; all that is given must match.
package struct UplinkMatch: Sendable, Equatable {
    /// A glob of the device; nil: any.
    package var interface: String?
    /// The router; nil: any.
    package var gateway: IPAddress?
    /// A glob of the name of the Wi-Fi network; nil: any network, or none.
    package var ssid: String?
    /// Where the public address is; nil: anywhere.
    package var publicAddress: AddressRange?

    package init(interface: String? = nil, gateway: IPAddress? = nil, ssid: String? = nil) {
        (self.interface, self.gateway, self.ssid) = (interface, gateway, ssid)
    }

    /// Whether it depends on what a device and a router do not say.
    package var isOfMoment: Bool { ssid != nil || publicAddress != nil }

    /// Whether a device is the uplink.
    ///
    /// - Parameters:
    ///   - device: its name.
    ///   - type: what it is; one that is no Wi-Fi device is in no network.
    ///   - routers: those to which traffic over it goes.
    ///   - ssid: the name of its Wi-Fi network; nil: none, or not known.
    ///   - isInRange: whether the public address over it is in `publicAddress`; nil: not known.
    /// - Returns: nil where it is not known.
    package func recognizes(
        _ device: String,
        _ type: Interface.InterfaceType,
        routers: some Sequence<IPAddress>,
        ssid: String?,
        isInRange: Bool? = nil
    ) -> Bool? {
        var verdicts: [Bool?] = []
        if let interface { verdicts.append(Glob.matches(device, interface)) }
        if let gateway { verdicts.append(routers.contains(gateway)) }
        if let pattern = self.ssid {
            let unknown: Bool? = type == .wifi ? nil : false
            verdicts.append(ssid.map { Glob.matches($0, pattern) } ?? unknown)
        }
        if publicAddress != nil { verdicts.append(isInRange) }
        if verdicts.contains(false) { return false }
        return verdicts.contains(nil) ? nil : true
    }
}
