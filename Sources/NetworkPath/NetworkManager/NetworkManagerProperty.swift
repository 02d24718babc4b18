/// The properties that we read, of the manager and of its devices.
enum NetworkManagerProperty: String, Sendable {
    case state = "State"
    case networkingEnabled = "NetworkingEnabled"
    case devices = "Devices"
    case interface = "Interface"
    case ipInterface = "IpInterface"
    case deviceType = "DeviceType"
    case metered = "Metered"
}
