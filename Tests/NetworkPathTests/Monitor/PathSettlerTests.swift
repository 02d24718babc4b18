import Testing

@testable import NetworkPath

struct PathSettlerTests {
    @Test(arguments: [
        // Everything but a carrier is published when the burst is over: 50 ms after its last event.
        [Step.event(1000, .switchedOff), .publish(1050, .switchedOff, evidence: 1000)],
        [.event(1000, .deleted), .publish(1050, .deleted, evidence: 1000)],
        [.event(1000, .noRoute), .publish(1050, .noRoute, evidence: 1000)],
        [.event(1000, .connecting), .publish(1050, .connecting, evidence: 1000)],
        [.event(1000, .wifi), .publish(1050, .wifi, evidence: 1000)],
        [.event(1000, .otherRouter), .publish(1050, .otherRouter, evidence: 1000)],
        // A burst is evaluated after 250 ms even if it goes on.
        [
            .event(1000, .wifi), .event(1049, .wifi), .event(1098, .wifi), .event(1147, .wifi), .event(1196, .wifi),
            .event(1245, .wifi), .publish(1250, .wifi, evidence: 1000),
        ],
        // A burst that ends where it began is nothing.
        [.event(1000, .wifi), .event(1040, .online)],
        // A lost carrier must stay lost for a second from its first sign.
        [.event(1000, .unplugged), .publish(2000, .unplugged, evidence: 1000)],
        [.event(1000, .unplugged), .event(1500, .unplugged), .publish(2000, .unplugged, evidence: 1000)],
        // One that takes the routes along is still a lost carrier, at once or later.
        [.event(1000, .flushed), .publish(2000, .flushed, evidence: 1000)],
        [.event(1000, .unplugged), .event(1500, .flushed), .publish(2000, .flushed, evidence: 1000)],
        [.event(1000, .flushed), .event(1900, .online)],
        // One that returns within that time was a blip; the next one starts anew.
        [.event(1000, .unplugged), .event(1900, .online)],
        [
            .event(1000, .unplugged), .event(1500, .online), .event(1700, .unplugged),
            .publish(2700, .unplugged, evidence: 1700),
        ],
        // One that turns into something worse is published with it, and is as old as its first sign.
        [.event(1000, .unplugged), .event(1400, .deleted), .publish(1450, .deleted, evidence: 1000)],
        [.event(1000, .unplugged), .event(1400, .switchedOff), .publish(1450, .switchedOff, evidence: 1000)],
        // Another way out ends the hold; so does the old one with another router.
        [.event(1000, .unplugged), .event(1400, .wifi), .publish(1450, .wifi, evidence: 1400)],
        [.event(1000, .unplugged), .event(1400, .otherRouter), .publish(1450, .otherRouter, evidence: 1400)],
        // A dead link that was never the path's is no lost carrier.
        [.event(1000, .wifiUnplugged), .publish(1050, .wifiUnplugged, evidence: 1000)],
        // What is true when the hold ends is published, even in the middle of a burst.
        [
            .event(1000, .unplugged), .event(1980, .noRoute), .publish(2000, .noRoute, evidence: 1000),
        ],
        // A recovery must last for 300 ms; both ends of an outage are told.
        [
            .event(1000, .noRoute), .publish(1050, .noRoute, evidence: 1000), .event(2000, .online),
            .publish(2300, .online, evidence: 2000),
        ],
        [
            .event(1000, .unplugged), .publish(2000, .unplugged, evidence: 1000), .event(3000, .online),
            .publish(3300, .online, evidence: 3000),
        ],
        // One that fails is no recovery, and the next one starts anew.
        [
            .event(1000, .noRoute), .publish(1050, .noRoute, evidence: 1000), .event(2000, .online),
            .event(2200, .noRoute), .event(2400, .online), .publish(2700, .online, evidence: 2400),
        ],
        [
            .event(1000, .noRoute), .publish(1050, .noRoute, evidence: 1000), .event(2000, .online),
            .event(2200, .unplugged), .publish(2250, .unplugged, evidence: 2200),
        ],
        // One that changes while it is watched is published as it is then.
        [
            .event(1000, .noRoute), .publish(1050, .noRoute, evidence: 1000), .event(2000, .online),
            .event(2200, .wifi),
            .publish(2300, .wifi, evidence: 2000),
        ],
        // Between two reasons nothing is held back.
        [
            .event(1000, .noRoute), .publish(1050, .noRoute, evidence: 1000), .event(2000, .connecting),
            .publish(2050, .connecting, evidence: 2000),
        ],
    ])
    func `changes are published in their time`(steps: [Step]) {
        var run = SettlerRun(.online)
        for case .event(let time, let scene) in steps { run.event(scene, at: time) }
        run.finish()
        let expected = steps.compactMap { step -> String? in
            if case .publish = step { step.description } else { nil }
        }
        #expect(run.published.dropFirst().map(\.description) == expected)
    }

    @Test(arguments: Scene.allCases)
    func `the first evaluation is published at once, with no changes`(scene: Scene) throws {
        var settler = PathSettler()
        #expect(settler.deadline() == nil)
        let first = settler.evaluated(scene.evaluation, at: epoch)
        let update = try #require(first)
        #expect(update.path == scene.evaluation.path)
        #expect(update.generation == 1)
        #expect(update.changes.isEmpty)
        #expect(update.evidenceAt == epoch && update.publishedAt == epoch)
        #expect(settler.deadline() == nil)
    }

    @Test func `the carrier may be lost by what is below a tunnel`() {
        var tunnel = Scene.online.evaluation
        tunnel.path.underlay = Scene.wifi.evaluation.path.interface
        var lost = Scene.noRoute.evaluation
        lost.withoutCarrier = [3]
        var settler = PathSettler()
        _ = settler.evaluated(tunnel, at: epoch)
        let held = settler.evaluated(lost, at: epoch)
        #expect(held == nil)
        #expect(settler.deadline() == epoch.advanced(by: .seconds(1)))
    }

    @Test func `the device that carried last is known throughout the outage`() {
        var settler = PathSettler()
        #expect(settler.carriers.isEmpty)
        _ = settler.evaluated(Scene.online.evaluation, at: epoch)
        let carriers = settler.carriers
        #expect(carriers.count == 1 && carriers.first == Scene.online.evaluation.path.interface)
        for scene in [Scene.noRoute, .connecting, .noRoute] {
            #expect(settler.evaluated(scene.evaluation, at: epoch) != nil)
            #expect(settler.carriers == carriers)
        }
        _ = settler.evaluated(Scene.wifi.evaluation, at: epoch)
        let later = settler.evaluated(Scene.wifi.evaluation, at: epoch.advanced(by: .seconds(1)))
        #expect(settler.carriers == [later?.path.interface] && settler.carriers != carriers)
    }

    @Test func `what carried a tunnel is known, too, and comes first`() throws {
        var tunnel = Scene.online.evaluation
        let cable = try #require(tunnel.path.interface)
        let device = Interface(name: "wg0", index: 9, type: .other, isTunnel: true)
        (tunnel.path.interface, tunnel.path.lowerInterfaces, tunnel.path.underlay) = (device, [cable], cable)
        var settler = PathSettler()
        _ = settler.evaluated(tunnel, at: epoch)
        #expect(settler.carriers == [cable, device])

        // In a container what is below the tunnel may be a device of its host.
        var contained = tunnel
        contained.path.lowerInterfaces = []
        contained.path.underlay = Interface(name: "eth0", index: 0, type: .wiredEthernet)
        settler = PathSettler()
        _ = settler.evaluated(contained, at: epoch)
        #expect(settler.carriers == [device])
    }

    @Test func `an outage that was published changes the path twice, under a new number each time`() {
        var run = SettlerRun(.online)
        run.event(.noRoute, at: 1000)
        run.event(.online, at: 2000)
        run.finish()
        #expect(run.updates.map(\.generation) == [1, 2, 3])
        #expect(run.updates[0].path == run.updates[2].path)
        #expect(run.updates[1].changes == [.status, .interface, .type, .gateway, .dns])
        #expect(run.updates[2].changes == [.status, .interface, .type, .gateway, .dns])
        #expect(run.updates[2].settleDelay == .milliseconds(300))
    }

    @Test(arguments: Scene.allCases, Scene.allCases)
    func `from any situation to any other`(from: Scene, to: Scene) {
        var run = SettlerRun(from)
        run.event(to, at: 1000)
        run.finish()
        let isOutage = from.isSatisfied && !to.isSatisfied
        let held: Set<Scene> = from == .wifi ? [.wifiUnplugged] : [.unplugged, .flushed]
        let isHeld = isOutage && held.contains(to)
        let time = isHeld ? 2000 : !from.isSatisfied && to.isSatisfied ? 1300 : 1050
        let expected = from == to ? [] : ["\(Step.publish(time, to, evidence: 1000))"]
        #expect(run.published.dropFirst().map(\.description) == expected)
    }

    @Test func `an evaluation that expires is repeated`() {
        var settler = PathSettler()
        var connecting = Scene.connecting.evaluation
        connecting.reevaluateAt = epoch.advanced(by: .seconds(15))
        _ = settler.evaluated(connecting, at: epoch)
        #expect(settler.deadline() == epoch.advanced(by: .seconds(15)))
        settler.event(at: epoch.advanced(by: .seconds(3)))
        #expect(settler.deadline() == epoch.advanced(by: .milliseconds(3050)))
        let update = settler.evaluated(Scene.noRoute.evaluation, at: epoch.advanced(by: .seconds(15)))
        #expect(update?.path == Scene.noRoute.evaluation.path)
        #expect(settler.deadline() == nil)
    }

    @Test func `a time that has passed is not waited for`() {
        var settler = PathSettler()
        var connecting = Scene.connecting.evaluation
        connecting.reevaluateAt = epoch
        _ = settler.evaluated(connecting, at: epoch)
        #expect(settler.deadline() == nil)
    }

    @Test func `an evaluation that comes early is taken, and does not shorten a hold`() {
        var settler = PathSettler()
        _ = settler.evaluated(Scene.online.evaluation, at: epoch)
        settler.event(at: epoch.advanced(by: .seconds(1)))
        let early = settler.evaluated(Scene.unplugged.evaluation, at: epoch.advanced(by: .milliseconds(1010)))
        #expect(early == nil)
        #expect(settler.deadline() == epoch.advanced(by: .seconds(2)))
    }

    @Test func `the state after a start is published at once, under its own number`() {
        var settler = PathSettler()
        var starting = Scene.connecting.evaluation
        starting.isSettling = true
        #expect(!settler.isSettled)
        let first = settler.evaluated(starting, at: epoch)
        #expect(first?.isSettling == true && !settler.isSettled)
        let again = settler.evaluated(starting, at: epoch.advanced(by: .milliseconds(100)))
        #expect(again == nil)
        settler.event(at: epoch.advanced(by: .milliseconds(800)))
        let update = settler.evaluated(Scene.online.evaluation, at: epoch.advanced(by: .milliseconds(850)))
        #expect(update?.path == Scene.online.evaluation.path)
        #expect(update?.isSettling == false && settler.isSettled)
        #expect(update?.generation == 2 && update?.settleDelay == .milliseconds(50))
    }

    @Test(arguments: [Scene.unplugged, .connecting, .noRoute])
    func `what has not settled after the start is an outage since the start`(scene: Scene) {
        var settler = PathSettler()
        var starting = Scene.connecting.evaluation
        starting.isSettling = true
        _ = settler.evaluated(starting, at: epoch)
        starting.path.dnsServers = []
        _ = settler.evaluated(starting, at: epoch.advanced(by: .seconds(1)))
        #expect(!settler.isSettled)
        let update = settler.evaluated(scene.evaluation, at: epoch.advanced(by: .seconds(2)))
        #expect(update?.path == scene.evaluation.path)
        #expect(update?.evidenceAt == epoch && settler.isSettled)
        let same = settler.evaluated(scene.evaluation, at: epoch.advanced(by: .seconds(3)))
        #expect(same == nil)
    }

    @Test func `the same path is published again when it counts as an outage`() {
        var settler = PathSettler()
        var starting = Scene.connecting.evaluation
        starting.isSettling = true
        _ = settler.evaluated(starting, at: epoch)
        let update = settler.evaluated(Scene.connecting.evaluation, at: epoch.advanced(by: .seconds(2)))
        #expect(update?.changes == [])
        #expect(update?.isSettling == false)
    }

    @Test func `with waits of zero every event is published at once`() {
        var timings = SettleTimings()
        (timings.quiet, timings.max, timings.downHold, timings.upHold) = (.zero, .zero, .zero, .zero)
        var run = SettlerRun(.online, timings: timings)
        run.event(.unplugged, at: 1000)
        run.event(.online, at: 1001)
        run.finish()
        #expect(
            run.published.dropFirst().map(\.description) == [
                "1000 ms publishes unplugged of 1000 ms", "1001 ms publishes online of 1001 ms",
            ]
        )
    }
}
