import Coordination
import Foundation
import NetworkHealth
import NetworkPath
import Posix
import Probing
import Testing

@testable import NetworkHealthExporter

/// The uplinks of the host, in a container that follows its exporter.
struct HostUplinksTests {
    private static let now = SuspendingClock.now

    /// The uplinks of a host that uses the first one of two.
    private static func uplinks(_ change: (inout [UplinkReport]) -> Void = { _ in }) -> [UplinkReport] {
        var (cable, lte) = (UplinkReport(adopted: "cable"), UplinkReport(adopted: "lte"))
        (cable.isActive, cable.isPrimary, cable.isAlone, cable.isOnline) = (true, true, true, true)
        (cable.hasRoute, cable.isExpensive, cable.provider) = (true, false, "Cable Ltd")
        cable.interface = Interface(name: "eth0", index: 0, type: .unknown)
        (cable.routers, cable.active, cable.switches) = (["192.0.2.1"], .seconds(100), 1)
        (lte.hasRoute, lte.isExpensive, lte.isOnline) = (true, true, false)
        (lte.cause, lte.downSince) = (.noInternet, now - .seconds(60))
        (lte.outages, lte.offline, lte.switchesInside) = (2, .milliseconds(60_500), [.hop: 3])
        (lte.latency, lte.lossRatio) = (.milliseconds(20), 0.25)
        var all = [cable, lte]
        change(&all)
        return all
    }

    private func snapshot(_ uplinks: [UplinkReport]?, _ change: (inout SnapshotDocument) -> Void = { _ in }) throws
        -> SnapshotDocument
    {
        let date = Date.now
        var document = SnapshotDocument(
            .online(),
            uplinks: uplinks?.map { UplinkDocument($0, now: .now, date: date, isCounted: true) },
            at: date
        )
        change(&document)
        return try #require(
            JSONDocument.decode(SnapshotDocument.self, from: String(decoding: document.json, as: UTF8.self))
        )
    }

    @Test func `a snapshot has all that a container needs, and what no exporter writes is left out`() throws {
        let found = try #require([UplinkReport](try snapshot(Self.uplinks()), now: .now))
        let since = try #require(found.last?.downSince)
        let age = since.duration(to: .now) / .seconds(1)
        // The time from which the minute is counted is that of the first test that asked for it.
        #expect((59...62 + Self.now.duration(to: .now) / .seconds(1)).contains(age))
        #expect(found == Self.uplinks { $0[1].downSince = since })
        #expect([UplinkReport](try snapshot(nil), now: .now) == nil)
        let odd = try snapshot(Self.uplinks()) { document in
            guard let one = document.uplinks?.first else { return }
            let changes: [(inout UplinkDocument) -> Void] = [
                { $0.record = nil }, { $0.name = "" }, { $0.name = "a\nb" }, { $0.testable = false },
                { one in
                    one.name = "x"
                    one.record?.activeSeconds = -1
                },
                { ($0.name, $0.testable, $0.reason) = ("y", false, "of a later version") },
                { one in
                    one.name = "z"
                    one.record?.switches.hop = .max
                },
            ]
            document.uplinks = changes.map { change in
                var other = one
                change(&other)
                return other
            }
            var twice = one
            (twice.latencySeconds, twice.lossRatio) = (1e300, 2)
            document.uplinks?.append(twice)
            document.uplinks?.append(one)
        }
        let left = try #require([UplinkReport](odd, now: .now))
        #expect(left.map(\.name) == ["cable"] && left.first?.latency == nil && left.first?.lossRatio == nil)
    }

    /// What happened between the last two of these readings.
    private func news(_ readings: [UplinkReport]...) -> [UplinkEvent] {
        var known = UplinkReadings()
        return readings.map { known.take($0, at: Self.now) }.last ?? []
    }

    @Test func `an event that the host's counters show is one here, and none after a silence`() {
        let last = Self.uplinks { $0[1] = UplinkReport(adopted: "lte") }
        #expect(news(last, last).isEmpty)
        let lost = news(last, Self.uplinks { $0[1].switchesInside = [:] })
        #expect(lost.map(\.kind) == [.lost(.noInternet)] && lost.first?.at == Self.now - .seconds(60))
        let switched = Self.uplinks { all in
            (all[0].isPrimary, all[1].isPrimary) = (false, true)
            (all[1].switches, all[1].isOnline, all[1].cause, all[1].downSince) = (1, true, nil, nil)
        }
        #expect(news(Self.uplinks(), switched).map(\.kind) == [.switched(from: "cable")])
        let inside = news(Self.uplinks(), Self.uplinks { $0[1].switchesInside[.hop] = 4 })
        #expect(inside.map(\.kind) == [.switchedInside(.hop)] && inside.map(\.uplink) == ["lte"])
        #expect(news(Self.uplinks(), last.map(\.silent), switched).isEmpty)
        #expect(news(Self.uplinks()).isEmpty)
    }

    @Test func `a switch of the host after a time without a path is one here`() {
        let none = Self.uplinks { $0[0].isPrimary = false }
        let switched = Self.uplinks { ($0[0].isPrimary, $0[1].isPrimary, $0[1].switches) = (false, true, 1) }
        let events = news(Self.uplinks(), none, none, switched)
        #expect(events.map(\.kind) == [.switched(from: "cable")] && events.map(\.uplink) == ["lte"])
        #expect(news(Self.uplinks(), none, Self.uplinks()).isEmpty)
        // The other one has lost its path, too, before the first answer.
        let both = Self.uplinks { ($0[0].isPrimary, $0[1].switches) = (false, 1) }
        #expect(news(Self.uplinks(), both, switched).map(\.kind) == [.switched(from: "cable")])
    }

    @Test(arguments: [UInt64(1), 0])
    func `a switch that another name follows within one answer is one, and another name alone is none`(count: UInt64) {
        let named = Self.uplinks { all in
            var fibre = UplinkReport(adopted: "fibre")
            (all[0].isPrimary, fibre.isPrimary, all[1].switches) = (false, true, count)
            all.append(fibre)
        }
        let events = news(Self.uplinks(), named)
        #expect(events.map(\.kind) == (count == 1 ? [.switched(from: "cable")] : []))
        #expect(events.allSatisfy { $0.uplink == "fibre" })
    }

    @Test func `an uplink that a reload of the host names is the same one`() {
        func uplinks(_ names: [String], _ change: (inout [UplinkReport]) -> Void = { _ in }) -> [UplinkReport] {
            Self.uplinks { all in
                all[1].interface = Interface(name: "wwan0", index: 0, type: .unknown)
                for (index, name) in names.enumerated() { all[index].name = name }
                change(&all)
            }
        }
        let before = uplinks(["eth0", "wwan0"])
        #expect(news(before, uplinks(["line", "mobile"])).isEmpty)
        let switched = uplinks(["line", "mobile"]) { all in
            (all[0].isPrimary, all[1].isPrimary, all[1].switches) = (false, true, 1)
        }
        #expect(news(before, switched).map(\.kind) == [.switched(from: "eth0")])
        #expect(news(before, uplinks(["line", "mobile"]), switched).map(\.kind) == [.switched(from: "line")])
    }

    @Test
    func `a container has the families, the answer to health and the events of its host, and none while it is silent`()
        async throws
    {
        let fixture = try CollectorFixture()
        let host = try #require(fixture.follower)
        let service = UplinkService(
            fixture.context,
            fixture.host,
            fixture.targets,
            fixture.internet,
            fixture.speedTests,
            fixture.faults,
            host
        )
        let requirements = RequirementService(
            fixture.context,
            fixture.host,
            fixture.targets,
            fixture.internet,
            fixture.speedTests,
            service
        )
        let collector = try #require(service.collectors.first)
        fixture.goOnline()
        service.decide([.blocked(0)], fixture.health.current)
        #expect(
            try printed(collector.families()).isEmpty && service.documents == nil,
            "its own are not those of the host"
        )
        var news = service.news.values().makeAsyncIterator()

        host.take(try snapshot(nil).json)
        let first = Self.uplinks { all in
            (all[1].outages, all[1].isOnline, all[1].cause, all[1].downSince) = (1, true, nil, nil)
        }
        host.take(try snapshot(first), nil)
        host.take(try snapshot(Self.uplinks()), nil)
        let lines = printed(try collector.families())
        #expect(
            lines.contains(#"network_health_uplink_info{uplink="cable",device="eth0",provider="Cable Ltd"} 1"#)
                && lines.contains(#"network_health_uplink_online{uplink="lte"} 0"#)
                && lines.contains(#"network_health_uplink_offline_seconds_total{uplink="lte"} 60.5"#)
                && lines.contains(#"network_health_uplink_switches_total{uplink="lte",source="hop"} 3"#),
            "\(lines)"
        )
        #expect(await news.next()?.kind == .lost(.noInternet))
        #expect(requirements.evaluator.uplinkNames == ["cable", "lte"])
        var requirement = Requirement.online
        requirement.uplink = "lte"
        let lost = requirements.evaluator.verdict(.made(requirement))
        #expect(!lost.passed && lost.uplink?.name == "lte")
        requirement.uplink = "cable"
        #expect(requirements.evaluator.verdict(.made(requirement)).passed)
        let counted = service.documents(isCounted: true)
        #expect(counted?.last?.record?.outages == 2 && service.documents?.last?.record == nil)

        host.lose()
        #expect(try printed(collector.families()).isEmpty && service.documents == nil)
        requirement.uplink = "lte"
        #expect(requirements.evaluator.verdict(.made(requirement)).reasons == [.uplinkUnknown])
        #expect(requirements.evaluator.uplinkNames == ["cable", "lte"], "a client's question stays one")
    }

    @Test func `the cost of an uplink is what the host says`() throws {
        let state = HealthState.online { $0.viewpoint = .container }
        var requirement = Requirement.unmetered
        func passes(_ uplink: UplinkReport) -> Bool {
            requirement.uplink = uplink.name
            var facts = RequirementFacts(state: state, date: .now)
            facts.uplinks = { [uplink] }
            return requirement.evaluate(facts).passed
        }
        var standby = Self.uplinks()[1]
        (standby.isOnline, standby.cause, standby.downSince, standby.isExpensive) = (true, nil, nil, false)
        #expect(passes(standby))
        standby.isExpensive = true
        #expect(!passes(standby))
        (standby.isExpensive, standby.origin) = (nil, .here)
        #expect(!passes(standby), "a container does not see the devices that cost money")
    }

    @Test(arguments: ["name", "provider"])
    func `no uplink gets a name that a container would not adopt`(key: String) throws {
        for text in ["a\\nb", String(repeating: "a", count: 129)] {
            let name = key == "name" ? "" : "name: cable, "
            let yaml = "uplinks: [{ \(name)\(key): \"\(text)\", match: { interface: eth0 } }]"
            let error = try #require(throws: (any Error).self) {
                try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:])
            }
            #expect("\(error)".hasPrefix("test.yml:1: uplinks[0].\(key): expected a name of 1 to 128 bytes"))
        }
    }
}
