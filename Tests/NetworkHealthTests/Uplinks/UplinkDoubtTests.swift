import Foundation
import NetworkPath
import Posix
import Probing
import Testing

@testable import NetworkHealth

/// What must not be concluded about an uplink.
@Suite struct UplinkDoubtTests {
    private typealias Scene = UplinkScene

    @Test(arguments: [false, true], [false, true])
    func `a cable that is pulled out, or a route that is switched off, is no outage of what is not named`(
        hasRoute: Bool,
        isSilenced: Bool
    ) throws {
        let rule = UplinkRule.named("eth1", interface: "eth1") { $0.standbyInterval = .zero }
        var scene = Scene([Scene.way(0), Scene.way(1)], rules: isSilenced ? [rule] : [])
        scene.update(at: 0)
        scene.pass(to: 10) { _ in .answered }
        if hasRoute { scene.ways[1].isUsable = false } else { scene.ways[1].routers = [:] }
        scene.update(at: 20)
        scene.pass(to: 300) { _ in .silent }
        let report = try #require(scene.report("eth1"))
        #expect(report.isOnline == nil && report.cause == nil && report.obstacle == .absent)
        #expect(report.outages == 0 && report.offline == .zero && scene.events.isEmpty)
    }

    @Test func `a default route that never reached the internet is no outage, but where it is named`() {
        for isNamed in [false, true] {
            var scene = Scene(
                [Scene.way(0), Scene.way(1)],
                rules: isNamed ? [.named("eth1", interface: "eth1")] : []
            )
            scene.update(at: 0)
            scene.pass(to: 300) { _ in .silent }
            #expect(scene.report("eth1")?.isOnline == (isNamed ? false : nil))
            #expect(scene.events.count == (isNamed ? 1 : 0))
        }
    }

    @Test func `two silent rounds with an inconclusive one between are no outage`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 59) { _ in .answered }
        var verdicts = [UplinkRound.Verdict.silent, .inconclusive, .silent]
        scene.pass(to: 185) { _ in verdicts.isEmpty ? .answered : verdicts.removeFirst() }
        #expect(verdicts.isEmpty && scene.report("eth1")?.outages == 0 && scene.events.isEmpty)
    }

    @Test func `what no round has shown for three intervals is not known any more, and its age is`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 60) { _ in .answered }
        #expect(scene.report("eth1")?.answeredAt == Scene.at(60) && scene.report("eth0")?.answeredAt == nil)
        // From the round at 120 on.
        scene.pass(to: 299) { _ in .inconclusive }
        #expect(scene.report("eth1")?.isOnline == true && scene.report("eth1")?.answeredAt == Scene.at(60))
        scene.pass(to: 300) { _ in .inconclusive }
        #expect(scene.report("eth1")?.isOnline == nil && scene.report("eth1")?.outages == 0)
        scene.pass(to: 360) { _ in .answered }
        #expect(scene.report("eth1")?.isOnline == true && scene.report("eth1")?.answeredAt == Scene.at(360))
    }

    @Test func `after time in which this process did not run a round begins at once`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.ways[1].isExpensive = true
        scene.update(at: 0)
        scene.pass(to: 10) { _ in .answered }
        #expect(scene.board.deadline == Scene.at(900))
        scene.gap = DatedGap(start: Date(timeIntervalSince1970: 0), end: Date(timeIntervalSince1970: 100))
        scene.update(at: 20)
        #expect(scene.board.start(at: Scene.at(20)).map(\.name) == ["eth1"])
    }

    @Test func `after a suspend a round begins at once, and one that was under way or silent before is void`() throws {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.ways[1].isExpensive = true
        scene.update(at: 0)
        scene.pass(to: 10) { _ in .answered }
        #expect(scene.board.deadline == Scene.at(900))
        // The clock stands still while the machine sleeps: there is no gap.
        scene.board.resumed(at: Scene.at(20))
        let turn = try #require(scene.board.start(at: Scene.at(20)).first)
        scene.board.resumed(at: Scene.at(21))
        let next = try #require(scene.board.start(at: Scene.at(21)).first)
        _ = scene.board.finish(turn, UplinkRound(.silent), at: Scene.at(22))
        _ = scene.board.finish(next, UplinkRound(.silent), at: Scene.at(23))
        scene.board.resumed(at: Scene.at(24))
        let last = try #require(scene.board.start(at: Scene.at(24)).first)
        _ = scene.board.finish(last, UplinkRound(.silent), at: Scene.at(25))
        #expect(scene.report("eth1", at: 25)?.isOnline == true && scene.report("eth1", at: 25)?.outages == 0)
    }

    @Test func `a round is possible only as it is bound, where the kernel still says so`() throws {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        let turn = try #require(scene.board.start(at: Scene.at(0)).first)
        #expect(turn.isPossible(scene.ways) && !turn.isPossible([Scene.way(0)]))
        scene.ways[1].access = .bound([.ipv4: IPAddress("192.0.1.2")])
        #expect(!turn.isPossible(scene.ways))
        scene.ways[1] = Scene.way(1, access: .blocked(.reversePathFilter))
        #expect(!turn.isPossible(scene.ways))
        scene.ways[1] = Scene.way(1)
        scene.ways[1].isUsable = false
        #expect(!turn.isPossible(scene.ways))
    }

    @Test func `no round begins before it is known which uplink is in use, nor with one alone`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        #expect(scene.board.update(nil, scene.health, at: Scene.at(0)).isEmpty)
        #expect(scene.board.reports(at: Scene.at(0)).isEmpty && scene.board.deadline == nil)
        var early = Scene(scene.ways, rules: [.named("lte", interface: "wwan0")])
        #expect(early.board.update(scene.ways, at: Scene.at(0)).isEmpty)
        #expect(early.board.start(at: Scene.at(5)).isEmpty && early.board.deadline == nil)
        #expect(early.report("lte", at: 5)?.isOnline == nil)
        early.update(at: 6)
        #expect(early.board.start(at: Scene.at(6)).map(\.name) == ["eth1"])
        var single = Scene([Scene.way(0)], used: nil)
        single.update(at: 0)
        #expect(single.board.start(at: Scene.at(1)).isEmpty && single.board.deadline == nil)
    }

    @Test func `a name that the configuration gives later is no switch, and keeps what was counted`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        var plan = scene.board.plan
        plan.rules = [.named("cable", interface: "eth0")]
        scene.board.apply(plan)
        scene.update(at: 50)
        #expect(scene.events.isEmpty && scene.report("eth0") == nil)
        let cable = scene.report("cable", at: 60)
        #expect(cable?.isPrimary == true && cable?.switches == 0 && cable?.active == .seconds(60))
        // To a rule that was there, for another device.
        plan.rules = [.named("cable", interface: "eth9"), .named("dock", interface: "wwan0")]
        scene.board.apply(plan)
        scene.update(at: 70)
        plan.rules[1].match.interface = "eth0"
        scene.board.apply(plan)
        scene.update(at: 72)
        scene.update(at: 80)
        #expect(scene.report("dock")?.isPrimary == true && scene.report("dock")?.switches == 0)
        #expect(scene.events.map(\.uplink) == ["cable"], "it is lost, and nothing was switched")
    }

    @Test func `what was found over one device, or behind one router, says nothing about another one of the same name`()
    {
        func rules(_ devices: String...) -> [UplinkRule] {
            zip(["lte", "fibre"], devices).map { UplinkRule.named($0, interface: $1) }
        }
        var scene = Scene((0..<3).map { Scene.way($0) }, rules: rules("eth1", "eth2"))
        scene.update(at: 0)
        scene.pass(to: 30) { $0 == "eth1" ? .answered : .silent }
        #expect(scene.report("lte")?.isOnline == true && scene.report("lte")?.latency == .milliseconds(20))
        #expect(scene.report("fibre")?.isOnline == false)
        var plan = scene.board.plan
        plan.rules = rules("eth2", "eth1")
        scene.board.apply(plan)
        scene.update(at: 31)
        for name in ["lte", "fibre"] {
            let report = scene.report(name)
            #expect(report?.isOnline == nil && report?.cause == nil && report?.latency == nil, "\(name)")
            #expect(report?.answeredAt == nil && report?.obstacle == nil, "\(name)")
        }
        scene.pass(to: 45) { $0 == "eth1" ? .answered : .silent }
        #expect(scene.report("lte")?.isOnline == false && scene.report("fibre")?.isOnline == true)
        scene.ways[1].routers = [.ipv4: IPAddress("192.0.1.254")]
        scene.update(at: 46)
        #expect(scene.report("fibre")?.isOnline == nil)
        // One more router is no other network.
        scene.pass(to: 55) { _ in .answered }
        scene.ways[1].routers[.ipv6] = IPAddress("fe80::1")
        scene.update(at: 56)
        #expect(scene.report("fibre")?.isOnline == true)
    }

    @Test func `an uplink alone in use has no outcomes of the device that had its name before, also once it is left`() {
        func rules(_ devices: String...) -> [UplinkRule] {
            zip(["fibre", "lte"], devices).map { UplinkRule.named($0, interface: $1) }
        }
        var scene = Scene([Scene.way(0), Scene.way(1)], rules: rules("eth0", "eth1"))
        scene.update(at: 0)
        scene.pass(to: 30) { _ in .answered }
        #expect(scene.report("lte")?.latency == .milliseconds(20))
        var plan = scene.board.plan
        plan.rules = rules("eth1", "eth0")
        scene.board.apply(plan)
        scene.update(at: 31)
        let used = scene.report("lte")
        #expect(used?.isAlone == true && used?.isOnline == true && used?.latency == nil)
        scene.used = 1
        scene.switchPath(at: 40)
        #expect(scene.report("lte")?.isAlone == false && scene.report("lte")?.latency == nil)
    }

    @Test func `another router of a device is tested at once, and the round through the last one is void`() throws {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 20) { _ in .answered }
        scene.pass(to: 59) { _ in .answered }
        scene.update(at: 60)
        let turn = try #require(scene.board.start(at: Scene.at(60)).first)
        scene.ways[1].routers = [.ipv4: IPAddress("192.0.1.254")]
        scene.update(at: 61)
        #expect(!scene.board.isCurrent(turn))
        #expect(scene.board.start(at: Scene.at(65)).map(\.name) == ["eth1"])
    }

    @Test func `an outage of the host that is over is not the cause`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        var health = scene.health
        health.path.status = .unsatisfied
        (health.status, health.isOnline) = (.disconnected, false)
        health.outage = Outage(.captivePortal, since: Scene.at(-100), length: .seconds(20))
        _ = scene.board.update(scene.ways, health, at: Scene.at(10))
        _ = scene.board.update(at: Scene.at(12))
        #expect(scene.report("eth0", at: 12)?.isOnline == false && scene.report("eth0", at: 12)?.cause == .route)
    }

    @Test func `time in which the process did not run is no time in use`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.gap = DatedGap(start: 1_700_000_010, end: 1_700_000_610)
        scene.update(at: 620)
        scene.update(at: 625)
        #expect(scene.report("eth0")?.active == .seconds(25))
        // A reader may come before the state that has the gap, and after it.
        let gaps = [DatedGap(start: 1_700_000_630, end: 1_700_001_230), scene.gap]
        let active = gaps.map { scene.board.reports(at: Scene.at(1235), after: $0).first { $0.name == "eth0" }?.active }
        #expect(active == [.seconds(35), .seconds(635)])
    }

    @Test func `no outage begins before the process runs again, and a silent round of before counts no more`() {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.update(at: 0)
        scene.pass(to: 59) { _ in .answered }
        scene.pass(to: 60) { _ in .silent }
        scene.gap = DatedGap(start: 1_700_000_061, end: 1_700_000_661)
        scene.update(at: 661)
        scene.pass(to: 661) { _ in .silent }
        #expect(scene.report("eth1")?.outages == 0)
        scene.pass(to: 670) { _ in .silent }
        #expect(scene.report("eth1")?.downSince == Scene.at(661) && scene.report("eth1")?.offline == .seconds(9))
        // The evidence of the path in use is of before.
        var health = scene.health
        health.isOnline = false
        health.internet = InternetVerdict(state: .noInternet, evidenceAt: Scene.at(60), generation: 1)
        _ = scene.board.update(scene.ways, health, at: Scene.at(671))
        let used = scene.report("eth0", at: 671)
        #expect(used?.isOnline == false && used?.downSince == Scene.at(661) && used?.offline == .seconds(10))
    }

    @Test func `silence needs a witness unless the path is known to be without internet, in the same families`() throws
    {
        var scene = Scene([Scene.way(0), Scene.way(1, access: .bound([.ipv6: nil]))])
        scene.update(at: 0)
        let turn = try #require(scene.board.start(at: Scene.at(0)).first)
        for (isOnline, isNeeded) in [(true, true), (nil, true), (false, false)] as [(Bool?, Bool)] {
            scene.isOnline = isOnline
            scene.update(at: 1)
            let expected: [UplinkBinding?]? = isNeeded ? [nil] : nil
            #expect(scene.board.witnesses(against: turn) == expected)
        }
        let addresses = ["192.0.2.99:443", "[2001:db8::99]:443"].compactMap { SocketAddress($0) }
        #expect(turn.families(of: addresses) == Array(addresses.suffix(1)) && addresses.count == 2)
    }

    @Test func `a shorter interval counts from the reload on, and an expensive uplink is asked once a minute at most`()
    {
        var scene = Scene([Scene.way(0), Scene.way(1)])
        scene.ways[1].isExpensive = true
        scene.update(at: 0)
        scene.pass(to: 10) { _ in .answered }
        var plan = scene.board.plan
        plan.rules = [.named("eth1", interface: "eth1") { $0.standbyInterval = .seconds(5) }]
        scene.board.apply(plan)
        scene.update(at: 20)
        #expect(scene.board.deadline == Scene.at(80))
        scene.ways[1].isExpensive = false
        scene.update(at: 30)
        #expect(scene.board.deadline == Scene.at(35))
    }
}
