/// Over what kind of interface this host is connected; a tunnel counts as what it stands on.
public enum ConnectionType: String, Sendable, Codable, CaseIterable {
    case wifi
    case cellular
    case ethernet
    case other
    case unknown
}
