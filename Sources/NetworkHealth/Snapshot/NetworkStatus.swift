/// Whether the kernel has a usable path, and if not, why in one word.
public enum NetworkStatus: String, Sendable, Codable, CaseIterable, CustomStringConvertible {
    /// The path is satisfied.
    case connected
    /// There is no route, or the link is down.
    case disconnected
    /// Somebody is about to connect, or could: an address is on its way, a modem is registered.
    case requiresConnection = "requires_connection"
    /// Something else is in the way: policy, a tunnel without an underlay, a radio switched off.
    case unsatisfied

    /// True for `connected` alone.
    public var isConnected: Bool { self == .connected }

    /// A few words for people.
    public var description: String {
        switch self {
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .requiresConnection: "requires connection"
        case .unsatisfied: "unsatisfied"
        }
    }
}
