import Foundation
import NetworkHealth
import NetworkPath
import Posix
import Testing

@testable import NetworkHealthExporter

@Suite struct UplinkPlannerTests {
    private static let start = SuspendingClock.now

    private static func moment(_ second: Double) -> WebhookPlanner.Moment {
        .init(instant: start + .seconds(second), date: Date(timeIntervalSince1970: 1000 + second))
    }

    @Test func `another name of the uplink in use is no switch, and a switch inside the router is sent once`() throws {
        var plan = UplinkPlan()
        for (name, addresses) in [("fibre", "198.51.100.0/24"), ("lte", "203.0.113.7/32")] {
            let range = try #require(AddressRange(addresses))
            var rule = UplinkRule(name)
            rule.match.publicAddress = range
            plan.rules.append(rule)
        }
        var (board, planner) = (UplinkBoard(plan), UplinkPlanner(minimum: .seconds(30)))
        let ways: [WayOut] = [.blocked(0), .blocked(1)]
        let uplink = try #require(Uplink(HealthState.online(over: ways[0].interface).path))
        func answer(_ texts: String..., at second: Double) throws {
            let addresses = try Set(texts.map { try #require(IPAddress($0)) })
            _ = board.take(addresses, of: .ipv4, over: uplink, at: Self.moment(second).instant)
        }
        /// The name of the uplink in use, and what is sent.
        func news(at second: Double) -> (used: String?, switches: [WebhookOccurrence]) {
            let now = Self.moment(second)
            let reports = board.reports(at: now.instant)
            let switches = planner.take(reports, at: now).filter { $0.event == .uplinkSwitched }
            return (reports.first(where: \.isPrimary)?.name, switches)
        }
        _ = board.update(ways, .online(over: ways[0].interface), at: Self.moment(0).instant)
        let first = news(at: 0)
        #expect(first.used == "eth0" && first.switches.isEmpty)
        try answer("198.51.100.9", at: 1)
        let named = news(at: 1)
        #expect(named.used == "fibre" && named.switches.isEmpty)
        try answer(at: 2)
        let unknown = news(at: 2)
        #expect(unknown.used == "eth0" && unknown.switches.isEmpty)
        try answer("198.51.100.9", at: 3)
        let again = news(at: 3)
        #expect(again.used == "fibre" && again.switches.isEmpty)
        try answer("203.0.113.7", at: 4)
        _ = board.take(InsideSwitches.Sign(.address, .ipv4), at: Self.moment(4).instant)
        let inside = news(at: 4)
        #expect(inside.used == "lte" && inside.switches.map(\.uplink) == ["lte"])
        #expect(inside.switches.first?.previousUplink == nil)
        _ = board.update(nil, .online(over: ways[1].interface), at: Self.moment(5).instant)
        let switched = news(at: 5)
        #expect(switched.used == "eth1" && switched.switches.map(\.uplink) == ["eth1"])
        #expect(switched.switches.first?.previousUplink == "lte")
    }

    @Test func `what the counters of a host show is a switch, and another name after its restart is none`() {
        var planner = UplinkPlanner(minimum: .seconds(30))
        func take(_ used: String?, _ switches: [String: UInt64], isSilent: Bool = false) -> [String] {
            let reports = ["eth0", "eth1", "fibre", "lte"].map { name in
                var report = UplinkReport(adopted: name)
                (report.isPrimary, report.switches) = (name == used, switches[name] ?? 0)
                return isSilent ? report.silent : report
            }
            return planner.take(reports, at: Self.moment(0)).map { "\($0.previousUplink ?? "") to \($0.uplink ?? "")" }
        }
        #expect(take("fibre", ["lte": 3]).isEmpty)
        #expect(take("lte", ["lte": 3, "eth1": 1]) == ["fibre to lte"], "eth1 got its name before the host was asked")
        #expect(take(nil, [:], isSilent: true).isEmpty)
        #expect(take("eth0", ["lte": 3, "eth1": 1, "eth0": 1]) == ["lte to eth0"], "during the silence")
        #expect(take("fibre", ["lte": 3, "eth1": 1, "eth0": 1]).isEmpty)
        // Its exporter begins anew.
        #expect(take("eth0", [:]).isEmpty)
        #expect(take("fibre", [:]).isEmpty)
        #expect(take("eth1", ["eth1": 1]) == ["fibre to eth1"])
        // The path is lost right after it was switched.
        #expect(take(nil, ["eth1": 1, "eth0": 1]).isEmpty)
        #expect(take("eth0", ["eth1": 1, "eth0": 1]) == ["eth1 to eth0"])
    }

    @Test func `a lost uplink that becomes the only one is not due, and is reported where it is one of two again`() {
        var planner = UplinkPlanner(minimum: .seconds(30))
        func take(_ names: String..., at second: Double) -> [WebhookEvent] {
            let reports = names.map { name in
                var report = UplinkReport(adopted: name)
                guard name == "lte" else { return report }
                (report.outages, report.isOnline, report.cause) = (1, false, .noInternet)
                report.downSince = Self.start
                return report
            }
            return planner.take(reports, at: Self.moment(second)).map(\.event)
        }
        #expect(take("cable", "lte", at: 10).isEmpty)
        #expect(planner.deadline == Self.start + .seconds(30))
        // The host's exporter was started again, without the other one.
        #expect(take("lte", at: 20).isEmpty && planner.deadline == nil)
        #expect(take("lte", at: 40).isEmpty && planner.deadline == nil, "the outage is that of the host")
        #expect(take("cable", "lte", at: 50) == [.uplinkLost])
        #expect(take("lte", at: 60).isEmpty && take("cable", "lte", at: 70).isEmpty, "once")
    }

    @Test func `a lost uplink has to be lost again after time in which nothing was observed, unless it was reported`() {
        var planner = UplinkPlanner(minimum: .seconds(30))
        func take(at second: Double) -> [WebhookOccurrence] {
            var report = UplinkReport(adopted: "lte")
            (report.outages, report.isOnline, report.cause, report.downSince) = (1, false, .noInternet, Self.start)
            return planner.take([UplinkReport(adopted: "cable"), report], at: Self.moment(second))
        }
        #expect(take(at: 5).isEmpty)
        planner.missed(at: Self.moment(100).instant)
        #expect(take(at: 100).isEmpty && planner.deadline == Self.start + .seconds(130))
        #expect(take(at: 130).map(\.event) == [.uplinkLost])
        planner.missed(at: Self.moment(200).instant)
        #expect(take(at: 240).isEmpty && planner.deadline == nil)
    }
}
