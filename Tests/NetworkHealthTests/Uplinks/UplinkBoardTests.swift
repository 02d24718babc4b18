import NetworkPath
import Posix
import Probing
import Testing

@testable import NetworkHealth

@Suite struct UplinkBoardTests {
    private typealias Scene = UplinkScene

    @Test func `the standby's death is known within twice the interval, before it is needed`() throws {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 100) { _ in .answered }
        let healthy = try #require(scene.report("eth1"))
        #expect(healthy.isOnline == true && healthy.latency == .milliseconds(20) && !healthy.isActive)
        #expect(scene.report("eth0")?.isAlone == true && scene.report("eth0")?.isOnline == true)
        // It dies at 100.
        scene.pass(to: 220) { _ in .silent }
        let dead = try #require(scene.report("eth1"))
        #expect(dead.isOnline == false && dead.cause == .noInternet && dead.outages == 1 && dead.latency == nil)
        #expect(dead.downSince == Scene.at(120), "the first silent round")
        #expect(scene.events.map(\.uplink) == ["eth1"] && scene.events.first?.kind == .lost(.noInternet))
        scene.pass(to: 300) { _ in .answered }
        #expect(scene.report("eth1")?.isOnline == true && scene.report("eth1")?.outages == 1)
        #expect(scene.report("eth1")?.offline == .seconds(125), "from 120 to the answered round at 245")
    }

    @Test func `the loss of a standby is known from twenty probes on`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        var probes = 0
        while probes < 20 {
            #expect(scene.report("eth1")?.lossRatio == nil, "after \(probes)")
            // Less than the time between two rounds, of a probe each.
            scene.pass(to: scene.now + 10) { _ in
                probes += 1
                return .answered
            }
        }
        #expect(scene.report("eth1")?.lossRatio == 0)
    }

    @Test func `one silent round is no outage, and an inconclusive one is nothing`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 59) { _ in .answered }
        var isFirst = true
        scene.pass(to: 70) { _ in
            defer { isFirst = false }
            return isFirst ? .silent : .answered
        }
        scene.pass(to: 200) { _ in .inconclusive }
        #expect(scene.report("eth1")?.isOnline == true && scene.report("eth1")?.outages == 0 && scene.events.isEmpty)
    }

    @Test func `a failover is counted once, with the seconds on each uplink`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.used = 1
        (scene.generation, scene.isOnline) = (2, true)
        scene.update(at: 50)
        scene.update(at: 51)
        #expect(scene.events.map(\.kind) == [.switched(from: "eth0")] && scene.events.first?.uplink == "eth1")
        let (left, taken) = (scene.report("eth0", at: 80), scene.report("eth1", at: 80))
        #expect(left?.active == .seconds(50) && taken?.active == .seconds(30))
        #expect(left?.switches == 0 && taken?.switches == 1 && taken?.isPrimary == true)
    }

    @Test func `the last verdict over another uplink is not the new one's`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 10) { _ in .answered }
        scene.isOnline = false
        scene.update(at: 20)
        #expect(scene.report("eth0")?.isOnline == false)
        // The path is another one, and the verdict is still that of the first.
        scene.used = 1
        scene.switchPath(at: 21)
        #expect(scene.report("eth1", at: 22)?.isOnline == true && scene.report("eth1", at: 22)?.outages == 0)
        scene.isOnline = true
        scene.update(at: 23)
        #expect(scene.report("eth1")?.isOnline == true)
    }

    @Test func `a named uplink without its cable for a second has an outage, since the first evidence`() {
        var scene = Scene([Scene.way(0), Scene.way(1)], rules: [.named("lte", interface: "eth1")])
        scene.update(at: 0)
        scene.pass(to: 10) { _ in .answered }
        scene.ways[1].isUsable = false
        scene.update(at: 20)
        #expect(scene.report("lte")?.isOnline == true)
        scene.pass(to: 30) { _ in .answered }
        #expect(scene.report("lte")?.isOnline == false && scene.report("lte")?.cause == .link)
        #expect(scene.report("lte")?.offline == .seconds(10))
        // The route goes with NetworkManager, and the device stays.
        scene.ways[1].routers = [:]
        scene.update(at: 40)
        #expect(scene.report("lte")?.obstacle == .absent && scene.report("lte")?.isOnline == false)
        scene.ways[1] = Scene.way(1)
        scene.update(at: 50)
        scene.pass(to: 52) { _ in .answered }
        #expect(scene.report("lte")?.isOnline == true && scene.report("lte")?.outages == 1)
    }

    @Test func `what cannot be tested is unknown, never down, and says why`() {
        let blocked = [WayOut.Obstacle.noRoute, .reversePathFilter, .secondRouter]
        for obstacle in blocked {
            var scene = Scene([Scene.way(0), Scene.way(1, access: .blocked(obstacle))])
            scene.update(at: 0)
            scene.pass(to: 300) { _ in .silent }
            #expect(scene.report("eth1")?.isOnline == nil && scene.report("eth1")?.obstacle == .kernel(obstacle))
        }
        var scene = Scene(
            [Scene.way(0), Scene.way(1)],
            rules: [.named("lte", interface: "eth1") { $0.standbyInterval = .zero }]
        )
        scene.update(at: 0)
        scene.pass(to: 300) { _ in .silent }
        #expect(scene.report("lte")?.isOnline == nil && scene.report("lte")?.obstacle == .disabled)
        scene.ways[1].isConstrained = true
        scene.update(at: 301)
        #expect(scene.report("lte")?.obstacle == .constrained)
    }

    @Test func `beside a tunnel in use only what is named is probed`() {
        let ways = [Scene.way(0), Scene.way(1), Scene.way(2, tunnel: true)]
        var asked: Set<String> = []
        var scene = Scene(ways, used: 2, rules: [.named("lte", interface: "eth1")])
        scene.update(at: 0)
        scene.pass(to: 100) { device in
            asked.insert(device)
            return .answered
        }
        #expect(asked == ["eth1"])
        #expect(scene.report("eth0")?.obstacle == .tunnel && scene.report("eth0")?.isActive == true)
        #expect(scene.report("wg0")?.isOnline == true && scene.report("wg0")?.isAlone == true)
        #expect(scene.report("lte")?.isOnline == true)
    }

    @Test func `an expensive uplink is asked every 15 minutes`() {
        for (isExpensive, expected) in [(true, 4), (false, 60)] {
            var scene = Scene([Scene.way(0), Scene.way(1)])
            scene.ways[1].isExpensive = isExpensive
            scene.update(at: 0)
            var rounds = 0
            scene.pass(to: 3599) { _ in
                rounds += 1
                return .answered
            }
            #expect(rounds == expected)
        }
    }

    @Test func `an uplink that the configuration names is expected, also where the host has none`() {
        var scene = Scene([Scene.way(0)], rules: [.named("lte", interface: "wwan0") { $0.provider = "Mobile" }])
        scene.update(at: 0)
        #expect(scene.board.hasSeveral)
        scene.pass(to: 5) { _ in .answered }
        #expect(scene.report("lte")?.isOnline == false && scene.report("lte")?.cause == .route)
        #expect(scene.report("lte")?.obstacle == .absent && scene.report("lte")?.device == nil)
    }

    @Test func `a second router keeps its name when the first one is gone`() {
        var second = Scene.way(0, access: .blocked(.secondRouter))
        second.routers = [.ipv4: IPAddress("192.0.0.2")]
        var scene = Scene([Scene.way(0), second])
        scene.update(at: 0)
        #expect(scene.board.reports(at: Scene.at(0)).map(\.name) == ["eth0", "eth0 192.0.0.2"])
        scene.ways = [second]
        scene.ways[0].access = .bound([.ipv4: nil])
        scene.generation = 2
        scene.update(at: 10)
        #expect(scene.report("eth0 192.0.0.2")?.isPrimary == true && scene.report("eth0")?.isOnline == nil)
        #expect(scene.events.map(\.kind) == [.switched(from: "eth0")])
    }

    @Test func `a device that is gone keeps its counters, and at most eight are known`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 10) { _ in .answered }
        scene.pass(to: 100) { _ in .silent }
        #expect(scene.report("eth1")?.outages == 1)
        scene.ways.remove(at: 1)
        scene.update(at: 110)
        #expect(scene.report("eth1")?.isOnline == nil && scene.report("eth1")?.outages == 1)
        scene.ways = (0..<8).map { Scene.way($0 + 10) }
        scene.update(at: 120)
        #expect(scene.board.reports(at: Scene.at(120)).count == 8)
        // One that is named has a place in any case.
        scene.board.apply(UplinkPlan(rules: [.named("lte", interface: "wwan0")]))
        scene.update(at: 130)
        #expect(scene.board.reports(at: Scene.at(130)).count == 8 && scene.report("lte") != nil)
    }

    @Test func `of more than eight the first ones are known, and the one that is named`() {
        var scene = Scene((0..<12).map { Scene.way($0) }, rules: [.named("last", interface: "eth11")])
        scene.update(at: 0)
        let reports = scene.board.reports(at: Scene.at(0))
        #expect(Set(reports.map(\.name)) == Set((0..<7).map { "eth\($0)" } + ["last"]))
        #expect(scene.report("eth0")?.isActive == true && scene.report("last")?.isOnline != false)
    }

    @Test func `a round that is under way while a reload names its uplink is made anew`() throws {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        let turn = try #require(scene.board.start(at: Scene.at(0)).first)
        let addresses = scene.board.plan.addresses
        scene.board.apply(UplinkPlan(rules: [.named("lte", interface: "eth1")], addresses: addresses))
        scene.update(at: 1)
        #expect(scene.board.finish(turn, UplinkRound(.answered), at: Scene.at(2)).isEmpty)
        #expect(scene.report("lte", at: 2)?.isOnline == nil)
        let again = try #require(scene.board.start(at: Scene.at(2)).first)
        #expect(again.name == "lte")
        _ = scene.board.finish(again, UplinkRound(.answered), at: Scene.at(3))
        #expect(scene.report("lte", at: 3)?.isOnline == true)
    }

    @Test func `the next hops of one route are each tested, and both are in use`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        for index in scene.ways.indices { scene.ways[index].isShared = true }
        scene.update(at: 0)
        var health = scene.health
        health.path.isMultipath = true
        _ = scene.board.update(scene.ways, health, at: Scene.at(1))
        let turns = scene.board.start(at: Scene.at(1))
        #expect(turns.map(\.binding.device).sorted() == ["eth0", "eth1"])
        #expect(scene.board.reports(at: Scene.at(1)).map(\.isActive) == [true, true])
    }

    @Test func `all traffic leaves over the uplink in use, also below a tunnel, and over no one of several next hops`()
    {
        var scene = Scene(
            [Scene.way(0), Scene.way(1), Scene.way(2, tunnel: true)],
            rules: [.named("cable", interface: "eth0")]
        )
        func carriers() -> [String] {
            let reports = scene.board.reports(at: Scene.at(scene.now))
            return reports.filter { $0.carriesAll(of: scene.health.path, among: reports) }.map(\.name)
        }
        scene.update(at: 0)
        #expect(carriers() == ["cable"])
        // The path is there before what decides.
        scene.used = 1
        #expect(carriers().isEmpty)
        scene.update(at: 1)
        #expect(carriers() == ["eth1"])
        scene.used = 2
        scene.update(at: 2)
        #expect(carriers() == ["cable", "wg0"])
        // The device with the route is a bridge: what is below it is no uplink.
        scene.port = Interface(name: "port0", index: 99, type: .wiredEthernet)
        scene.update(at: 2.5)
        #expect(carriers() == ["cable", "wg0"] && Uplink(scene.health.path)?.name == "wg0/eth0")
        #expect(Uplink(scene.health.path).flatMap(scene.board.name(of:)) == "cable")
        scene.used = nil
        scene.update(at: 3)
        #expect(carriers().isEmpty)
        for index in 0...1 { scene.ways[index].isShared = true }
        scene.used = 0
        var health = scene.health
        health.path.isMultipath = true
        _ = scene.board.update(scene.ways, health, at: Scene.at(4))
        #expect(carriers().isEmpty)
    }
}
