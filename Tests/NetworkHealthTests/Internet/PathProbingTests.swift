import NetworkHealth
import NetworkPath
import Posix
import Probing
import Testing

struct PathProbingTests {
    private var path: Path {
        var path = Path.over(.wifi)
        path.supportsIPv6 = true
        path.isExpensive = true
        path.gateways = ["192.0.2.1", "fe80::1%wlan0", "not an address"]
        path.captivePortal = "https://portal.example/api"
        return path
    }

    private var gateways: [ProbeContext.Gateway] {
        get throws {
            [
                .init(address: try #require(IPAddress("192.0.2.1"))),
                .init(address: try #require(IPAddress("fe80::1")), device: "wlan0"),
            ]
        }
    }

    @Test func `the prober of the internet receives the generation, the families and the routers`() throws {
        var expected = InternetPath(generation: 9, isSatisfied: true, isExpensive: true, gateways: try gateways)
        expected.families = [.ipv6]
        expected.interfaces = Set([path.interface, path.underlay].compactMap { $0?.index })
        #expect(expected.interfaces.count == 1)
        expected.devices = expected.interfaces
        expected.portal = "https://portal.example/api"
        var path = path
        #expect(InternetPath(.made(path, 9, evidence: 0, published: 0)) == expected)
        (path.supportsIPv4, path.supportsIPv6, path.isExpensive, path.isConstrained) = (true, false, false, true)
        expected.families = [.ipv4]
        (expected.isExpensive, expected.isConstrained) = (false, true)
        #expect(InternetPath(.made(path, 9, evidence: 0, published: 0)) == expected)
    }

    @Test func `the router of a standby is none of the path, and its coming is no other path`() throws {
        let gateways = try gateways
        var path = path
        let before = InternetPath(path)
        path.gateways.append("198.51.100.1")
        path.standbyGateways = ["198.51.100.1"]
        #expect(InternetPath(path) == before && before.gateways == gateways)
        #expect(ProbeContext(path).gateways == gateways)
        var forbidden = path
        forbidden.status = .unsatisfied
        #expect(ProbeContext(forbidden).gateways.count == 3)
        #expect(Uplink(path)?.gateway == "192.0.2.1")
        // That of a modem, which has none itself.
        path.gateways = ["198.51.100.1"]
        #expect(Uplink(path)?.gateway == nil)
    }

    @Test
    func
        `the devices of both families and those below a tunnel carry the path; of several next hops they are not known`()
    {
        var path = Path.over(.other, name: "wg0", underlay: Interface(name: "eth0", index: 5, type: .wiredEthernet))
        path.lowerInterfaces = [Interface(name: "br0", index: 4, type: .wiredEthernet)]
        path.ipv6Interface = Interface(name: "wlan0", index: 7, type: .wifi)
        #expect(InternetPath(path).devices == [2, 4, 5, 7])
        path.isMultipath = true
        #expect(InternetPath(path).devices == nil)
    }

    @Test(arguments: [Path.Status.unsatisfied, .requiresConnection])
    func `a path that is not satisfied is none`(status: Path.Status) {
        let path = Path(status: status)
        #expect(InternetPath(.made(path, 2, evidence: 0, published: 0)) == .init(generation: 2, isSatisfied: false))
        #expect(ProbeContext(path) == .init(isConnected: false))
    }

    @Test func `probes receive the routers and the cost`() throws {
        let gateways = try gateways
        #expect(ProbeContext(path) == .init(gateways: gateways, isConnected: true, isExpensive: true))
    }

    @Test func `the watch of the router receives the viewpoint and the kind of link`() {
        var path = path
        path.viewpoint = .container
        #expect(ProbeContext(path).isContainer && !ProbeContext(path).isPointToPoint)
        path.interface?.isPointToPoint = true
        #expect(ProbeContext(path).isPointToPoint)
    }
}
