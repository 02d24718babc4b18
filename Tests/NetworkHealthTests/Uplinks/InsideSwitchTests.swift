import NetworkPath
import Posix
import Testing

@testable import NetworkHealth

struct InsideSwitchTests {
    private typealias Scene = UplinkScene

    private func take(_ scene: inout Scene, _ source: UplinkSwitchSource, _ family: AddressFamily, at second: Double)
        -> [UplinkEvent]
    {
        scene.board.take(InsideSwitches.Sign(source, family), at: Scene.at(second))
    }

    @Test func `hop and address that change together are one switch, and the way back is another`() {
        var scene = Scene([Scene.way(0)])
        scene.update(at: 0)
        #expect(take(&scene, .hop, .ipv4, at: 100) == [UplinkEvent(.switchedInside(.hop), "eth0", at: Scene.at(100))])
        #expect(take(&scene, .address, .ipv4, at: 150).isEmpty)
        #expect(take(&scene, .hop, .ipv6, at: 300).isEmpty)
        #expect(scene.report("eth0")?.switchesInside == [.hop: 1])
        // Back, before the signs of the first have ended.
        #expect(take(&scene, .address, .ipv4, at: 400).map(\.kind) == [.switchedInside(.address)])
        #expect(take(&scene, .hop, .ipv4, at: 500).isEmpty)
        // A new address much later.
        #expect(take(&scene, .hop, .ipv6, at: 1300).map(\.kind) == [.switchedInside(.hop)])
        #expect(scene.report("eth0")?.switchesInside == [.hop: 2, .address: 1])
        #expect(scene.report("eth0")?.switches == 0)
    }

    @Test func `in a tunnel, over several uplinks and without a path nothing is counted`() {
        var tunnel = Scene([Scene.way(0), Scene.way(1, tunnel: true)], used: 1)
        tunnel.update(at: 0)
        #expect(take(&tunnel, .address, .ipv4, at: 10).isEmpty)
        var scene = Scene([Scene.way(0)])
        #expect(take(&scene, .hop, .ipv4, at: 0).isEmpty)
        scene.update(at: 0)
        scene.used = nil
        scene.switchPath(at: 10)
        #expect(take(&scene, .hop, .ipv4, at: 20).isEmpty)
    }

    @Test func `a sign over another uplink is another switch`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        #expect(take(&scene, .hop, .ipv4, at: 10).count == 1)
        scene.used = 1
        scene.switchPath(at: 20)
        scene.update(at: 21)
        #expect(take(&scene, .address, .ipv4, at: 30).map(\.uplink) == ["eth1"])
        #expect(scene.report("eth0")?.switchesInside == [.hop: 1])
    }
}
