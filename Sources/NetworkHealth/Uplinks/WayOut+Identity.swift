import NetworkPath

extension WayOut {
    /// Whether it is the one of before: its device, its Wi-Fi network, and one of its routers.
    func isSame(as other: WayOut) -> Bool {
        guard interface.index == other.interface.index, interface.name == other.interface.name else { return false }
        if let ssid, let last = other.ssid, ssid != last { return false }
        guard !routers.isEmpty, !other.routers.isEmpty else { return true }
        return routers.contains { family, router in other.routers[family] == .some(router) }
    }

    /// Whether packets can leave there.
    var leads: Bool { isUsable && !routers.isEmpty }
}

extension [WayOut] {
    /// The same, where a link that is down keeps the Wi-Fi network that it was in last.
    func keepingNetworks(of last: [WayOut]) -> [WayOut] {
        map { way in
            guard !way.isUsable, way.ssid == nil else { return way }
            var way = way
            way.ssid = last.first { $0.interface.index == way.interface.index }?.ssid
            return way
        }
    }
}
