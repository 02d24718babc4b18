import Foundation
import Probing
import Testing

@testable import NetworkHealthExporter

struct TargetStatusTests {
    private func target(_ name: String, _ outcomes: Double?...) -> TargetReport {
        var target = ProbedTarget(name)
        for outcome in outcomes { target.probe(outcome) }
        return target.report
    }

    @Test func `those that are down come first, then the unknown, each in the order of the configuration`() {
        let statuses = TargetStatuses([
            target("a", 10), target("b"), target("c", 10, nil), target("d", 12, 14), target("e", nil),
        ])
        #expect(statuses.list.map(\.name) == ["c", "e", "b", "a", "d"])
        #expect(statuses.up == 2 && statuses.down == 2 && statuses.unknown == 1)
    }

    @Test func `a target has its state, since when, latency, loss and the reason`() throws {
        let statuses = TargetStatuses([target("a", 10, nil), target("b", 10, 20), target("c")])
        let down = try #require(statuses.list.first)
        #expect(down.state == .down && down.reason == "timeout" && down.lossRatio == 0.5 && down.since != nil)
        #expect(down.latencySeconds == 0.01 && down.lastProbedAt != nil)
        let unknown = statuses.list[1]
        #expect(unknown.state == .unknown && unknown.detail == "not probed yet" && unknown.since == nil)
        let up = statuses.list[2]
        #expect(up.state == .up && up.reason == nil && up.detail == nil)
        #expect(up.latencySeconds == 0.015 && up.lossRatio == 0)
    }

    @Test func `what pings the router watches it, and not what asks the name server there`() {
        let targets = [
            Target.gateway(every: .seconds(10), isAutomatic: true),
            Target(name: "r", address: Target.gatewayAddress, probe: ICMPProbe()),
            Target(name: "d", address: Target.gatewayAddress, probe: DNSProbe(query: "example.com")),
            Target(name: "i", address: "192.0.2.1", probe: ICMPProbe()),
        ]
        #expect(targets.map(\.watchesRouter) == [true, true, false, false])
    }

    @Test func `a target that the cost of the path pauses says so, with its last state`() {
        var report = target("a", 10)
        report.decision = .skip(.expensive)
        let status = TargetStatuses([report]).list[0]
        #expect(status.paused == "expensive" && status.state == .up)
    }

    @Test func `a hundred are listed and all are counted, and a router without a configuration is none`() {
        let many = (0..<150).map { target("t\($0)", $0 < 120 ? 10 : nil) }
        let statuses = TargetStatuses(many)
        #expect(statuses.list.count == TargetStatuses.limit && statuses.up == 120 && statuses.down == 30)
        #expect(statuses.list[29].state == .down && statuses.list[30].state == .up)
        let router = ProbedTarget("router", GatewayProbe()).report
        #expect(TargetStatuses([router]).list.isEmpty)
    }
}
