import Coordination
import Foundation
import Lab
import NetworkPath
import Posix
import Probing
import Statistics
import StrictYAML
import Testing

@testable import NetworkHealth
@testable import NetworkHealthExporter

@Suite struct UplinkPartTests {
    private static let start = SuspendingClock.now

    private func names(_ families: [String]) -> Set<String> {
        Set(families.map { String($0.prefix { $0 != "{" }) })
    }

    @Test func `with one uplink there is its information alone, and from the second on each family, for good`() throws {
        let fixture = try CollectorFixture()
        let collector = try #require(fixture.uplinks.collectors.first)
        fixture.goOnline()
        fixture.uplinks.decide([.blocked(0)], fixture.health.current)
        #expect(
            printed(try collector.families())
                == [#"network_health_uplink_info{uplink="eth0",device="eth0",provider=""} 1"#]
        )
        fixture.uplinks.decide([.blocked(0), .blocked(1)])
        let lines = printed(try collector.families())
        #expect(lines.contains(#"network_health_uplink_active{uplink="eth0"} 1"#))
        #expect(lines.contains(#"network_health_uplink_online{uplink="eth0"} 1"#))
        #expect(lines.contains(#"network_health_uplink_testable{uplink="eth1"} 0"#))
        #expect(!lines.contains { $0.hasPrefix(#"network_health_uplink_online{uplink="eth1"#) }, "unknown is absent")
        #expect(lines.count { $0.contains(#"uplink="eth1""#) } <= 25)
        fixture.uplinks.decide([.blocked(0)])
        let later = printed(try collector.families())
        #expect(later.contains { $0.hasPrefix(#"network_health_uplink_outages_total{uplink="eth1"} "#) })
        #expect(names(lines).subtracting(names(later)).isEmpty)
    }

    @Test func `a switch behind the only router is counted with its source, reported, and sent to webhooks once`()
        async throws
    {
        let fixture = try CollectorFixture()
        let collector = try #require(fixture.uplinks.collectors.first)
        fixture.goOnline()
        fixture.uplinks.decide([.blocked(0)], fixture.health.current)
        var planner = UplinkPlanner(minimum: .seconds(30))
        let moment = WebhookPlanner.Moment(instant: Self.start, date: Date(timeIntervalSince1970: 1000))
        #expect(planner.take(fixture.uplinks.reports, at: moment).isEmpty)
        var news = fixture.uplinks.news.values().makeAsyncIterator()
        fixture.uplinks.take(.init(.hop, .ipv4))
        fixture.uplinks.take(.init(.address, .ipv4))
        #expect(
            printed(try collector.families()).dropFirst() == [
                #"network_health_uplink_switches_total{uplink="eth0",source="route"} 0"#,
                #"network_health_uplink_switches_total{uplink="eth0",source="hop"} 1"#,
                #"network_health_uplink_switches_total{uplink="eth0",source="address"} 0"#,
            ]
        )
        let event = try #require(await news.next())
        let document = UplinkEventDocument(event, now: .now, date: .now)
        #expect(document.source == "hop" && document.uplink == "eth0" && document.previousUplink == nil)
        let occurrences = planner.take(fixture.uplinks.reports, at: moment)
        #expect(occurrences.map(\.event) == [.uplinkSwitched] && occurrences.first?.uplink == "eth0")
        #expect(planner.take(fixture.uplinks.reports, at: moment).isEmpty)
    }

    @Test func `a change of an uplink ends a wait for it, and the answer has its own values`() async throws {
        let fixture = try CollectorFixture()
        fixture.goOnline()
        fixture.uplinks.decide([.blocked(0), .blocked(1)], fixture.health.current)
        var requirement = Requirement.online
        requirement.uplink = "eth1"
        let evaluator = fixture.requirements.evaluator
        #expect(evaluator.verdict(.made(requirement)).reasons == [.uplinkUnknown])
        #expect(evaluator.uplinkNames == ["eth0", "eth1"])
        async let verdict = evaluator.verdict(.made(requirement), within: .seconds(300))
        while evaluator.waitCount == 0 { await Task.yield() }
        // The path moves there.
        fixture.receive("eth1", generation: 2) { path in
            path.interface = Interface(name: "eth1", index: 3, type: .wiredEthernet)
            path.gateways = ["192.0.2.2"]
        }
        fixture.receive(internet: .online, generation: 2)
        #expect(evaluator.waitCount == 1, "what decides is not here yet")
        fixture.uplinks.decide(nil, fixture.health.current)
        #expect(await verdict.uplink?.name == "eth1" && evaluator.waitCount == 0)
    }

    @Test func `the history has the probes through each uplink that is known`() throws {
        var ways: [WayOut] = [.blocked(0), .blocked(1)]
        ways[1].access = .bound([.ipv4: nil])
        var state = UplinkState(UplinkPlan(addresses: [try #require(SocketAddress("192.0.2.99:443"))]))
        _ = state.board.update(ways, .online(over: ways[0].interface), at: Self.start)
        let turn = try #require(state.board.start(at: Self.start).first)
        _ = state.finish(turn, UplinkRound(.inconclusive, outcomes: [nil]), at: Self.start)
        #expect(state.points.isEmpty)
        _ = state.finish(turn, UplinkRound(.answered, outcomes: [nil, .milliseconds(5)]), at: Self.start)
        #expect(state.points.map(\.name) == ["uplink eth1"] && state.points.first?.window.pushes == 2)
        // A reload gives the name to another device while a round is under way.
        var rule = UplinkRule("eth1")
        rule.match.interface = "eth0"
        state.board.apply(UplinkPlan(rules: [rule], addresses: state.board.plan.addresses))
        _ = state.board.update(at: Self.start)
        _ = state.finish(turn, UplinkRound(.answered, outcomes: [.milliseconds(5)]), at: Self.start)
        #expect(state.points.first?.window.pushes == 2)
        let all = PointWindow.all([], [], state.points)
        #expect(all.map(\.name) == ["uplink eth1"])
    }

    @Test func `an uplink as JSON has null for what is unknown, and says why it is not tested`() throws {
        let fixture = try CollectorFixture()
        fixture.goOnline()
        fixture.uplinks.decide([.blocked(0), .blocked(1)], fixture.health.current)
        let json = try #require(fixture.uplinks.documents?.last)
        let text = String(decoding: JSONDocument.encode(json), as: UTF8.self)
        #expect(text.contains(#""name":"eth1","#) && text.contains(#""online":null"#))
        #expect(text.contains(#""testable":false"#) && text.contains(#""reason":"no_route""#))
        #expect(text.contains(#""explanation":"The kernel has no route"#) && text.contains(#""answeredAt":null"#))
        #expect(try JSONDecoder().decode(UplinkDocument.self, from: Data(text.utf8)) == json)
    }

    @Test func `a switch is reported to webhooks at once, and a lost uplink once it has lasted`() {
        var rule = UplinkRule("eth0")
        rule.match.interface = "eth0"
        var board = UplinkBoard(UplinkPlan(rules: [rule]))
        var planner = UplinkPlanner(minimum: .seconds(30))
        func moment(_ second: Double) -> WebhookPlanner.Moment {
            .init(instant: Self.start + .seconds(second), date: Date(timeIntervalSince1970: 1000 + second))
        }
        func take(_ ways: [WayOut], over index: Int, at second: Double) -> [WebhookOccurrence] {
            let health = HealthState.online(over: ways[index].interface)
            let now = moment(second)
            _ = board.update(ways, health, at: now.instant)
            return planner.take(board.reports(at: now.instant), at: now)
        }
        var ways: [WayOut] = [.blocked(0), .blocked(1)]
        #expect(take(ways, over: 0, at: 0).isEmpty)
        let switched = take(ways, over: 1, at: 10)
        #expect(switched.map(\.event) == [.uplinkSwitched])
        #expect(switched.first?.uplink == "eth1" && switched.first?.previousUplink == "eth0")
        ways[0].isUsable = false
        #expect(take(ways, over: 1, at: 20).isEmpty && take(ways, over: 1, at: 22).isEmpty)
        #expect(planner.deadline == Self.start + .seconds(50))
        // Another name after a reload: nothing of the former one is due.
        var renamed = planner
        let others = board.reports(at: moment(22).instant).map { report in
            var report = report
            report.name += "b"
            (report.cause, report.downSince) = (nil, nil)
            return report
        }
        #expect(renamed.take(others, at: moment(23)).isEmpty && renamed.deadline == nil)
        let lost = take(ways, over: 1, at: 51)
        #expect(lost.map(\.event) == [.uplinkLost] && lost.first?.cause == .link && lost.first?.seconds == 31)
        #expect(lost.first?.started == Date(timeIntervalSince1970: 1020))
        #expect(take(ways, over: 1, at: 60).isEmpty, "once")
    }

    @Test func `a host that says again which uplink is lost, or is silent for a time, is no news to webhooks`() {
        var planner = UplinkPlanner(minimum: .seconds(30))
        func take(at second: Double, since: Double = 0, isSilent: Bool = false) -> [WebhookEvent] {
            var (cable, lte) = (UplinkReport(adopted: "cable"), UplinkReport(adopted: "lte"))
            (cable.isPrimary, cable.switchesInside) = (true, [.hop: 3])
            (lte.outages, lte.isOnline, lte.cause) = (2, false, .noInternet)
            lte.downSince = Self.start + .seconds(since)
            let date = Date(timeIntervalSince1970: 1000 + second)
            let now = WebhookPlanner.Moment(instant: Self.start + .seconds(second), date: date)
            return planner.take([cable, lte].map { isSilent ? $0.silent : $0 }, at: now).map(\.event)
        }
        #expect(take(at: 10).isEmpty)
        #expect(take(at: 12, isSilent: true).isEmpty)
        #expect(planner.deadline == nil, "it is not known to be lost for that long")
        #expect(take(at: 29).isEmpty)
        #expect(take(at: 40, since: 0.01) == [.uplinkLost])
        #expect(take(at: 50, since: 0.02).isEmpty, "each answer gives the begin to some milliseconds")
        #expect(take(at: 60, isSilent: true).isEmpty)
        #expect(take(at: 70, since: 0.03).isEmpty, "nor was a switch made behind the router of the other one")
    }

    @Test func `a public address without a STUN server is an error at its line, which names stun`() throws {
        let text = """
            uplinks:
              - { name: cable, match: { interface: eth0 } }
              - name: lte
                match: { public_address: 198.51.100.1, ssid: x }
            """
        let error = #expect(throws: YAMLErrors.self) {
            try Configuration.read(Array(text.utf8), file: "x.yml", environment: [:])
        }
        let lines = "\(try #require(error))"
        #expect(lines.hasPrefix("x.yml:4:") && lines.contains("expected servers in stun"), "\(lines)")
        let answered = text + "\nstun: { servers: [\"192.0.2.10:3478\"] }"
        let configuration = try Configuration.read(Array(answered.utf8), file: "x.yml", environment: [:])
        #expect(configuration.uplinks.last?.match.publicAddress == AddressRange("198.51.100.1/32"))
        #expect(configuration.uplinks.last?.match.ssid == "x")
        #expect(try Configuration.read(Array(configuration.yaml.utf8), file: "y", environment: [:]) == configuration)
    }

    @Test func `what STUN servers answer names the uplink in use before the switch is counted`() async throws {
        let fixture = try CollectorFixture()
        let text = """
            uplinks: [{ name: fibre, match: { public_address: 198.51.100.0/24 } }, { name: lte, match: { public_address: 203.0.113.7 } }]
            stun: { servers: ["192.0.2.10:3478"] }
            """
        fixture.uplinks.apply(try Configuration.read(Array(text.utf8), file: "x", environment: [:]))
        fixture.goOnline()
        fixture.uplinks.decide([.blocked(0)], fixture.health.current)
        let uplink = try #require(fixture.health.current?.uplink)
        var findings = PublicAddressWatch.Findings()
        findings.addresses = [.ipv4: [try #require(IPAddress("198.51.100.9"))]]
        fixture.uplinks.take(findings, over: uplink)
        func used() -> [String] { fixture.uplinks.reports.filter(\.isPrimary).map(\.name) }
        #expect(used() == ["fibre"])
        findings = PublicAddressWatch.Findings(
            changed: [.ipv4],
            addresses: [.ipv4: [try #require(IPAddress("203.0.113.7"))]]
        )
        fixture.uplinks.take(findings, over: uplink)
        #expect(used() == ["lte"])
        let switched = fixture.uplinks.reports.filter { !$0.switchesInside.isEmpty }
        #expect(switched.map(\.name) == ["lte"] && switched.first?.switchesInside == [.address: 1])
    }

    @Test func `the configuration names uplinks, and refuses what would match any`() throws {
        let text = """
            uplinks:
              - { name: cable, provider: Cable Ltd, match: { interface: eth0 } }
              - name: lte
                match: { gateway: 192.0.2.1 }
                expensive: true
                standby_interval: 1h
            """
        let configuration = try Configuration.read(Array(text.utf8), file: "x", environment: [:])
        #expect(configuration.uplinks.map(\.name) == ["cable", "lte"])
        #expect(configuration.uplinks.last?.standbyInterval == .seconds(3600))
        #expect(configuration.uplinks.last?.isExpensive == true && configuration.uplinks.first?.isExpensive == nil)
        #expect(try Configuration.read(Array(configuration.yaml.utf8), file: "y", environment: [:]) == configuration)
        for wrong in [
            "uplinks: [{ name: a }]", "uplinks: [{ name: a, match: {} }]", "uplinks: [{ match: { interface: eth0 } }]",
            "uplinks: [{ name: a, match: { ssid: '' } }]",
            "uplinks: [{ name: a, match: { public_address: 198.51.100.1/24 } }]\nstun: { servers: ['192.0.2.9:3478'] }",
            "uplinks: [{ name: a, match: { interface: x } }, { name: a, match: { interface: y } }]",
            "uplinks: [{ name: a, match: { interface: x }, standby_interval: 500ms }]",
            "uplinks: [{ name: a, match: { interface: x }, expensive: true, standby_interval: 30s }]",
            "uplinks: [\((0..<9).map { "{ name: a\($0), match: { interface: x } }" }.joined(separator: ", "))]",
        ] {
            #expect(throws: (any Error).self) { try Configuration.read(Array(wrong.utf8), file: "x", environment: [:]) }
        }
        for right in [
            "uplinks: [{ name: a, match: { interface: x }, expensive: true, standby_interval: 0s }]",
            "uplinks: [{ name: a, match: { interface: x }, standby_interval: 1s }]",
            "uplinks: [{ name: a, match: { ssid: 'My *' } }]",
            "uplinks: [{ name: a, match: { public_address: '2001:db8::/48' } }]\nstun: { servers: ['192.0.2.9:3478'] }",
            "uplinks: [\((0..<8).map { "{ name: a\($0), match: { interface: x } }" }.joined(separator: ", "))]",
        ] {
            #expect(throws: Never.self) { try Configuration.read(Array(right.utf8), file: "x", environment: [:]) }
        }
    }
}

extension WayOut {
    /// One that no bound socket can use.
    static func blocked(_ number: Int) -> WayOut {
        WayOut(
            interface: Interface(name: "eth\(number)", index: number + 2, type: .wiredEthernet),
            routers: [.ipv4: IPAddress("192.0.2.\(number + 1)")],
            access: .blocked(.noRoute)
        )
    }

    /// One that can be probed.
    static func testable(_ number: Int) -> WayOut {
        var way = blocked(number)
        way.access = .bound([.ipv4: nil])
        return way
    }
}
