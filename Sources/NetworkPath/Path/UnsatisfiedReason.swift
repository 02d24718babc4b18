extension Path {
    /// Why a path is not satisfied; the raw values are labels of metrics.
    public enum UnsatisfiedReason: String, Sendable, CaseIterable {
        /// The route leads over a device that is down or has no carrier.
        case linkDown = "link_down"
        /// No route, or one without a source address to use.
        case noRoute = "no_route"
        /// The tunnel has nobody behind it, or nothing below it.
        case vpnInactive = "vpn_inactive"
        /// A blackhole, prohibit or unreachable route refuses the traffic, as a VPN's kill switch does.
        case policyDenied = "policy_denied"
        /// A connection is being made.
        case connecting
        /// A modem is there and not connected.
        case cellularInactive = "cellular_inactive"
        /// The Wi-Fi radio is switched off.
        case wifiDenied = "wifi_denied"
        /// The cellular radio is switched off.
        case cellularDenied = "cellular_denied"
        /// Networking is switched off.
        case disabled
    }
}
