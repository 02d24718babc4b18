import Posix
import Testing

@testable import NetworkPath

struct PathUpdateTests {
    private static let eth0 = Interface(name: "eth0", index: 2, type: .wiredEthernet)
    private static let eth1 = Interface(name: "eth1", index: 3, type: .wiredEthernet)

    private static let satisfied: Path = {
        var path = Path(status: .satisfied)
        path.interface = eth0
        path.ipv4Interface = eth0
        path.availableInterfaces = [eth0]
        path.supportsIPv4 = true
        return path
    }()

    @Test(arguments: [
        Row("status", [.status]) { $0.status = .unsatisfied },
        Row("reason", [.status]) { $0.unsatisfiedReason = .linkDown },
        Row("device", [.interface]) { $0.interface = eth1 },
        Row("name", [.interface]) { $0.interface?.name = "lan0" },
        Row("IPv4's device", [.interface]) { $0.ipv4Interface = eth1 },
        Row("IPv6's device", [.interface]) { $0.ipv6Interface = eth1 },
        Row("underlay", [.interface, .type]) { $0.underlay = eth1 },
        Row("between", [.interface]) { $0.lowerInterfaces = [eth1] },
        Row("available", [.interface]) { $0.availableInterfaces.append(eth1) },
        Row("type", [.type]) { $0.interface?.type = .wifi },
        Row("speed", [.interface]) { $0.interface?.linkSpeed = 10 },
        Row("virtual", [.interface]) { $0.interface?.isVirtual = true },
        Row("expensive", [.expensive]) { $0.isExpensive = true },
        Row("source of expensive", [.expensive]) { $0.expensiveSource = .config },
        Row("metered", [.expensive]) { $0.metered = .guessNo },
        Row("constrained", [.constrained]) { $0.isConstrained = true },
        Row("source of constrained", [.constrained]) { $0.constrainedSource = .rule },
        Row("gateways", [.gateway]) { $0.gateways = ["192.0.2.1"] },
        Row("gateways of standbys", [.gateway]) { $0.standbyGateways = ["192.0.2.1"] },
        Row("portal", [.gateway]) { $0.captivePortal = "https://portal.example/api" },
        Row("multipath", [.gateway]) { $0.isMultipath = true },
        Row("degraded", [.gateway]) { $0.isDegraded = true },
        Row("resolvers", [.dns]) { $0.dnsServers = ["192.0.2.53"] },
        Row("IPv4", [.ipv4]) { $0.supportsIPv4 = false },
        Row("IPv6", [.ipv6]) { $0.supportsIPv6 = true },
        Row("viewpoint", [.interface]) { $0.viewpoint = .container },
        Row("nothing", []) { _ in },
    ])
    func `every fact belongs to a field`(row: Row) {
        var changed = Self.satisfied
        row.change(&changed)
        #expect(PathUpdate.difference(Self.satisfied, changed) == row.fields)
        #expect(PathUpdate.difference(changed, Self.satisfied) == row.fields)
    }

    @Test func `labels are those of the contract`() {
        let fields = "status interface type expensive constrained gateway dns ipv4 ipv6"
        #expect(PathUpdate.Field.allCases.map(\.rawValue) == fields.split(separator: " ").map(String.init))
        let reasons =
            "link_down no_route vpn_inactive policy_denied connecting cellular_inactive wifi_denied cellular_denied disabled"
        #expect(Path.UnsatisfiedReason.allCases.map(\.rawValue) == reasons.split(separator: " ").map(String.init))
        let sources = "flag rule config file host nm_yes nm_no nm_guess cellular tether gateway_guess assumed unknown"
        #expect(CostSource.allCases.map(\.rawValue) == sources.split(separator: " ").map(String.init))
        #expect(MeteredState.allCases.map(\.rawValue) == ["yes", "no", "guess_yes", "guess_no", "unknown"])
        #expect(Interface.InterfaceType.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, -1])
    }

    /// One fact that changes and where it belongs.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: Set<PathUpdate.Field>
        let change: @Sendable (inout Path) -> Void

        init(_ name: String, _ fields: Set<PathUpdate.Field>, _ change: @escaping @Sendable (inout Path) -> Void) {
            testDescription = name
            self.fields = fields
            self.change = change
        }
    }
}
