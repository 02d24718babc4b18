import NetworkPath
import Posix

/// How the path uses each way out.
struct UplinkRole {
    /// The one that the path names; nil without a path over one of them.
    let primary: WayOut?
    /// Whether the path is a tunnel.
    let isTunnel: Bool
    /// Devices that carry a part of the traffic.
    private let devices: Set<Int>
    private let isMultipath: Bool

    init(_ path: Path?, _ ways: [WayOut]) {
        let own = ways.filter { $0.interface.index == path?.interface?.index && !$0.routers.isEmpty }
        let router = path?.routersInUse.first.flatMap(IPAddress.withoutZone)
        let lost = ways.first { $0.interface.index == path?.interface?.index }
        primary =
            own.first { way in way.routers.values.contains { $0 != nil && $0 == router } } ?? own.first ?? lost
        isTunnel = path?.interface?.isTunnel == true
        let others = [path?.ipv4Interface, path?.ipv6Interface, path?.tunnelCarrier]
        devices = Set(others.compactMap { $0?.index }).subtracting([path?.interface?.index].compactMap(\.self))
        isMultipath = path?.isMultipath == true
    }

    func use(of way: WayOut) -> UplinkUse {
        if way == primary {
            // Two families over two devices are one path whose verdict is of both; that of a tunnel is its own.
            return isMultipath || !isTunnel && !devices.isEmpty ? .shared : .alone
        }
        if way.routers.isEmpty || !way.isUsable { return .standby }
        return isMultipath && way.isShared || devices.contains(way.interface.index) ? .shared : .standby
    }
}
