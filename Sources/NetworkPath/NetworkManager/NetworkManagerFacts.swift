/// What NetworkManager says about this host, copied from its D-Bus properties.
package struct NetworkManagerFacts: Sendable, Equatable {
    /// The manager's `State` (NMState): 10 asleep, 20 disconnected, 40 connecting, 50 local, 60 site, 70 global.
    package var state: UInt32 = 0
    /// The manager's `NetworkingEnabled`; false when the user switched networking off.
    package var isNetworkingEnabled = true
    /// The devices, by interface name (`IpInterface` where set and different, and `Interface`).
    package var devices: [String: Device] = [:]

    package init() {}

    /// One `org.freedesktop.NetworkManager.Device`.
    package struct Device: Sendable, Equatable {
        /// `Metered` (NMMetered).
        package var metered: Metered = .unknown
        /// `DeviceType` (NMDeviceType): 1 Ethernet, 2 Wi-Fi, 5 Bluetooth, 8 modem.
        package var type: UInt32 = 0
        /// `State` (NMDeviceState): 30 disconnected, 40–90 on its way, 100 activated.
        package var state: UInt32 = 0

        package init() {}
    }
}
