import NetworkHealth
import NetworkPath
import Testing

struct QualityEstimateTests {
    @Test(arguments: [
        (Interface.InterfaceType.wiredEthernet, NetworkQuality.good), (.wifi, .good), (.cellular, .moderate),
        (.other, .moderate), (.loopback, .moderate), (.unknown, .moderate),
    ])
    func `estimates by the type of the interface`(type: Interface.InterfaceType, expected: NetworkQuality) {
        #expect(QualityEstimate.quality(of: .over(type)) == expected)
    }

    @Test(arguments: Interface.InterfaceType.allCases)
    func `never promises excellent`(type: Interface.InterfaceType) {
        #expect(QualityEstimate.quality(of: .over(type, speed: 100_000_000_000)) <= .good)
    }

    @Test(arguments: [
        (UInt64(9_999_999), NetworkQuality.moderate), (10_000_000, .good), (999_999, .poor), (1_000_000, .moderate),
        (0, .poor),
    ])
    func `is lowered to what the link speed carries`(speed: UInt64, expected: NetworkQuality) {
        #expect(QualityEstimate.quality(of: .over(.wifi, speed: speed)) == expected)
    }

    @Test func `a fast link does not raise a modem`() {
        #expect(QualityEstimate.quality(of: .over(.cellular, speed: 1_000_000_000)) == .moderate)
    }

    @Test(arguments: [
        (Interface.InterfaceType.wifi, UInt64?.none, NetworkQuality.good), (.wifi, 5_000_000, .moderate),
        (.cellular, nil, .moderate), (.wiredEthernet, 500_000, .poor),
    ])
    func `a tunnel is as good as its underlying interface`(
        type: Interface.InterfaceType,
        speed: UInt64?,
        expected: NetworkQuality
    ) {
        let underlay = Interface(name: "wlan0", index: 3, type: type, linkSpeed: speed)
        let path = Path.over(.other, name: "wg0", underlay: underlay)
        #expect(QualityEstimate.carrier(of: path) == underlay)
        #expect(QualityEstimate.quality(of: path) == expected)
    }

    @Test func `a tunnel over an unknown interface is moderate`() {
        var path = Path(status: .satisfied)
        path.interface = Interface(name: "tun0", index: 5, type: .other, isVirtual: true, isTunnel: true)
        #expect(QualityEstimate.quality(of: path) == .moderate)
    }

    @Test func `a bridge keeps its own type, whatever is below it`() {
        var path = Path.over(.wiredEthernet, name: "br0")
        path.underlay = Interface(name: "wwan0", index: 3, type: .cellular)
        #expect(QualityEstimate.quality(of: path) == .good)
    }

    @Test(arguments: [Path.Status.unsatisfied, .requiresConnection])
    func `without a connection it is offline, whatever the interface`(status: Path.Status) {
        var path = Path.over(.wiredEthernet)
        path.status = status
        #expect(QualityEstimate.quality(of: path) == .offline)
    }

    @Test(arguments: [
        (50e6, NetworkQuality.excellent), (49_999_999, .good), (10e6, .good), (9_999_999, .moderate), (1e6, .moderate),
        (999_999, .poor), (0, .poor), (-1, .poor), (.nan, .poor), (.infinity, .excellent),
    ])
    func `measured speeds map by the contract's thresholds`(speed: Double, expected: NetworkQuality) {
        #expect(NetworkQuality(bitsPerSecond: speed) == expected)
    }
}
