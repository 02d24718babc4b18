import Foundation
import NetworkPath
import Probing
import Testing

@testable import NetworkHealth

@Suite struct StandbyOutageTests {
    private typealias Scene = UplinkScene

    /// The rows as `uplink cause start length`, in seconds; the length of an ongoing one is `-`.
    private func rows(_ scene: inout Scene) -> [String] {
        scene.board.takeOutages().map { outage in
            let start = Scene.start.duration(to: outage.outage.since) / .seconds(1)
            let length = outage.outage.length.map { "\(Int(($0 / .seconds(1)).rounded()))" } ?? "-"
            return "\(outage.uplink) \(outage.outage.cause.rawValue) \(Int(start.rounded())) \(length)"
        }
    }

    /// The standby `eth1` has been silent since second 60.
    private func lost() -> Scene {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 10) { _ in .answered }
        scene.pass(to: 100) { _ in .silent }
        return scene
    }

    @Test func `the outage of a standby begins with its first silent round, and ends with the first answer`() {
        var scene = lost()
        #expect(rows(&scene) == ["eth1 no_internet 60 -"])
        scene.pass(to: 200) { _ in .silent }
        #expect(rows(&scene).isEmpty, "each is reported once")
        scene.pass(to: 250) { _ in .answered }
        #expect(rows(&scene) == ["eth1 no_internet 60 185"])
    }

    @Test
    func
        `what fails on the path in use is the host's, also once the path is lost, and the standby's when the path leaves it`()
    {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 9) { _ in .answered }
        scene.isOnline = false
        scene.update(at: 10)
        scene.pass(to: 20) { _ in .answered }
        #expect(scene.report("eth0")?.isOnline == false && rows(&scene).isEmpty)
        scene.used = nil
        scene.update(at: 20)
        scene.pass(to: 30) { device in device == "eth0" ? .silent : .answered }
        #expect(scene.report("eth0")?.isOnline == false && rows(&scene).isEmpty)
        (scene.used, scene.isOnline, scene.generation) = (1, true, 2)
        scene.update(at: 30)
        scene.pass(to: 100) { _ in .silent }
        #expect(rows(&scene) == ["eth0 no_internet 30 -"])
        scene.pass(to: 180) { _ in .answered }
        #expect(scene.report("eth0")?.isOnline == true)
        #expect(rows(&scene).map { $0.prefix(19) } == ["eth0 no_internet 30"])
    }

    @Test func `one that works again when the path leaves it has no outage as a standby`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.isOnline = false
        scene.update(at: 10)
        (scene.used, scene.isOnline, scene.generation) = (1, true, 2)
        scene.update(at: 30)
        #expect(scene.report("eth0")?.isOnline == false)
        scene.pass(to: 40) { _ in .answered }
        #expect(scene.report("eth0")?.isOnline == true && rows(&scene).isEmpty)
    }

    @Test func `an outage ends where the path is switched to the uplink: from then on it is the host's`() {
        var scene = lost()
        scene.used = 1
        scene.switchPath(at: 110)
        #expect(rows(&scene) == ["eth1 no_internet 60 -", "eth1 no_internet 60 50"])
    }

    @Test func `a cable that is out is at the link, from when it was`() {
        var scene = Scene([Scene.way(0), Scene.way(1)], rules: [.named("lte", interface: "eth1")])
        scene.update(at: 0)
        scene.ways[1].isUsable = false
        scene.update(at: 20)
        scene.pass(to: 25) { _ in .answered }
        let outage = scene.board.takeOutages().first
        #expect(outage?.uplink == "lte" && outage?.outage.since == Scene.at(20))
        #expect(outage?.outage.cause == .link && outage?.outage.location == .link)
    }

    @Test func `a cable that was out when this process stopped is looked at again before that is an outage`() {
        for isBack in [false, true] {
            var scene = Scene([Scene.way(0), Scene.way(1)], rules: [.named("lte", interface: "eth1")])
            scene.update(at: 0)
            scene.pass(to: 10) { _ in .answered }
            scene.ways[1].isUsable = false
            scene.update(at: 20)
            // The time of the decision is over, and what the kernel says is not read yet.
            #expect(scene.board.update(at: Scene.at(80)).isEmpty)
            scene.ways[1].isUsable = isBack
            scene.update(at: 80)
            scene.pass(to: 90) { _ in .answered }
            #expect(scene.report("lte")?.offline == (isBack ? Duration.zero : .seconds(10)))
            #expect(scene.report("lte")?.outages == (isBack ? 0 : 1))
        }
    }

    @Test func `before a path was there nothing is a standby, and the only uplink never is`() {
        for isAlone in [false, true] {
            let rules: [UplinkRule] = [.named("cable", interface: "eth0"), .named("lte", interface: "eth1")]
            var scene = Scene(
                isAlone ? [Scene.way(0)] : [Scene.way(0), Scene.way(1)],
                used: isAlone ? 0 : nil,
                rules: isAlone ? Array(rules.prefix(1)) : rules
            )
            scene.update(at: 0)
            for index in scene.ways.indices { scene.ways[index].isUsable = false }
            scene.used = nil
            scene.update(at: 10)
            scene.pass(to: 30) { _ in .silent }
            #expect(scene.report("cable")?.isOnline == false && rows(&scene).isEmpty)
        }
    }

    @Test func `time in which this process did not run is in no outage, and what lasts is observed again`() {
        for works in [false, true] {
            var scene = lost()
            _ = rows(&scene)
            scene.gap = DatedGap(start: 1100, end: 1200)
            scene.update(at: 210)
            #expect(rows(&scene) == ["eth1 no_internet 60 50"])
            scene.pass(to: 211) { _ in works ? .answered : .silent }
            #expect(rows(&scene) == (works ? [] : ["eth1 no_internet 210 -"]))
        }
    }

    @Test func `an uplink that is given a name goes on under it`() {
        var scene = lost()
        scene.board.apply(UplinkPlan(rules: [.named("lte", interface: "eth1")], addresses: scene.board.plan.addresses))
        scene.update(at: 110)
        #expect(rows(&scene) == ["eth1 no_internet 60 -", "eth1 no_internet 60 50", "lte no_internet 110 -"])
    }

    @Test func `what is in use beside others has its own`() {
        var scene = Scene(
            [Scene.way(0), Scene.way(1, tunnel: true)],
            used: 1,
            rules: [.named("cable", interface: "eth0")]
        )
        scene.update(at: 0)
        scene.pass(to: 10) { _ in .answered }
        scene.pass(to: 100) { _ in .silent }
        #expect(scene.report("cable")?.isActive == true)
        #expect(rows(&scene) == ["cable no_internet 60 -"])
    }
}
