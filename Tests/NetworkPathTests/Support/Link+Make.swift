import Netlink
import Posix

/// The states of a link that tests are about.
enum Condition: CaseIterable {
    case up, noCarrier, down, dormant, lowerLayerDown, testing, transient, unknownUp

    /// Flags (UP 1, BROADCAST 2, RUNNING 0x40, LOWER_UP 0x10000) and operational state as the kernel reports them.
    var wire: (flags: UInt32, operationalState: UInt8) {
        switch self {
        case .up: (0x1_1043, 6)
        case .noCarrier: (0x1003, 2)
        case .down: (0x1002, 2)
        case .dormant: (0x3_1003, 5)
        case .lowerLayerDown: (0x1003, 3)
        case .testing: (0x1_1043, 4)
        case .transient: (0x1_1003, 3)
        case .unknownUp: (0x1_10d1, 0)
        }
    }
}

extension Link {
    static func make(
        _ index: Int32,
        _ name: String,
        _ condition: Condition = .up,
        kind: String? = nil,
        hardware: UInt16 = 1,
        parent: Int32? = nil,
        namespace: Int32? = nil,
        master: Int32? = nil,
        activeSlave: Int32? = nil
    ) -> Link {
        var link = Link(index: index, name: name)
        (link.flags, link.operationalState) = condition.wire
        link.kind = kind
        link.hardwareType = hardware
        link.parentIndex = parent
        link.parentNamespace = namespace
        link.masterIndex = master
        link.activeSlaveIndex = activeSlave
        return link
    }

    static let loopback: Link = {
        var link = Link(index: 1, name: "lo")
        link.hardwareType = 772
        link.flags = 0x1_0049
        return link
    }()

    /// A tunnel as the kernel shows one whose process is attached, or with `.noCarrier` one whose process is gone.
    static func tunnel(
        _ index: Int32,
        _ name: String = "wg0",
        _ condition: Condition = .unknownUp,
        kind: String = "wireguard"
    ) -> Link {
        .make(index, name, condition, kind: kind, hardware: 65534)
    }
}
