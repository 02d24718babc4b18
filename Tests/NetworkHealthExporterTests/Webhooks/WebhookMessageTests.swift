import Foundation
import NetworkHealth
import NetworkPath
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

@Suite struct WebhookMessageTests {
    private func message(
        _ event: WebhookEvent,
        interface: String = "eth0",
        change: (inout WebhookOccurrence) -> Void = { _ in }
    ) -> WebhookMessage {
        var occurrence = WebhookOccurrence(
            event: event,
            started: Date(timeIntervalSince1970: 1_790_000_000),
            seconds: 42.0004,
            cause: .gateway,
            outages: 1
        )
        if event == .fault || event == .faultEnded {
            let fault = Fault(
                .access,
                .outage,
                since: .now,
                [FaultObservation(.silence, at: .now, says: "198.51.100.1 is silent.")]
            )
            let ended = event == .faultEnded ? occurrence.started + 42 : nil
            occurrence.fault = FaultEvent(fault, since: occurrence.started, ended: ended, seconds: 42)
            (occurrence.cause, occurrence.outages) = (nil, 0)
        }
        change(&occurrence)
        let state = HealthState.online { $0.interface?.name = interface }
        return WebhookMessage(occurrence, snapshot: SnapshotDocument(state))
    }

    @Test func `the JSON has the event, its times and the snapshot, and null for what is unknown`() throws {
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(message(.lost).json)) as? [String: Any]
        )
        #expect(json["event"] as? String == "lost" && json["cause"] as? String == "gateway")
        #expect(json["started"] as? String == "2026-09-21T14:13:20Z" && json["ended"] is NSNull)
        #expect(json["seconds"] as? Double == 42 && json["previousQuality"] is NSNull)
        #expect((json["snapshot"] as? [String: Any])?["interfaceName"] as? String == "eth0")
    }

    @Test func `each event has a summary for people`() {
        #expect(message(.lost).summary == "Offline for 42 s (cause: gateway)")
        #expect(message(.lost) { $0.outages = 2 }.summary == "Offline for 42 s (cause: gateway), 2 outages")
        #expect(message(.restored) { $0.outages = 3 }.summary == "Online again after 42 s (cause: gateway), 3 outages")
        let quality = message(.quality) { ($0.cause, $0.previousQuality) = (nil, .poor) }
        #expect(quality.summary == "Network quality is good, it was poor")
    }

    @Test func `an outage has its place, and whom to call`() throws {
        let message = message(.restored) { $0.location = .router }
        let json = try #require(JSONSerialization.jsonObject(with: Data(message.json)) as? [String: Any])
        #expect(json["location"] as? String == "router" && json["call"] as? String == FaultLocation.router.call)
        #expect(json["kind"] is NSNull && json["sentence"] is NSNull && json["evidence"] is NSNull)
        #expect(message.summary == "Online again after 42 s (cause: gateway, at your router)")
        let unknown = self.message(.lost) { $0.location = .unknown }
        #expect(unknown.location == "unknown" && unknown.summary.contains("at a place that is not known yet"))
    }

    @Test func `a fault has its place, what it does, whom to call, and its evidence in sentences`() throws {
        let message = message(.fault)
        let json = try #require(JSONSerialization.jsonObject(with: Data(message.json)) as? [String: Any])
        #expect(json["event"] as? String == "fault" && json["cause"] is NSNull && json["ended"] is NSNull)
        #expect(json["location"] as? String == "access" && json["kind"] as? String == "outage")
        #expect(json["call"] as? String == FaultLocation.access.call)
        #expect(json["evidence"] as? [String] == ["198.51.100.1 is silent."])
        let sentence = "No connection on the line to your provider"
        #expect(message.sentence == "\(sentence). Whom to call: \(FaultLocation.access.call).")
        #expect(message.summary == message.sentence)
        let ended = self.message(.faultEnded)
        #expect(ended.event == "fault_ended" && ended.summary == "\(sentence): over after 42 s.")
        let template = try WebhookTemplate("{{location}} {{kind}} {{call}}: {{evidence}}")
        let body = String(decoding: template.body(message), as: UTF8.self)
        #expect(body == "access outage \(FaultLocation.access.call): 198.51.100.1 is silent.")
    }

    @Test func `a speed below the plan has the tests, the place, and whom to call`() throws {
        var slow = SpeedTestReport.good()
        slow.download = .of(47.8) { $0.queue = .access }
        let rule = PlanRule(plans: Plans.of(download: .init(normal: 100_000_000)))
        let shortfall = try #require(rule.shortfalls([slow, slow]).first)
        let message = message(.belowPlan) { ($0.shortfall, $0.cause, $0.outages) = (shortfall, nil, 0) }
        let json = try #require(JSONSerialization.jsonObject(with: Data(message.json)) as? [String: Any])
        #expect(json["event"] as? String == "below_plan" && json["location"] as? String == "access")
        #expect(json["kind"] as? String == "throughput" && json["call"] as? String == FaultLocation.access.call)
        let tests = try #require(json["shortfall"] as? [String: Any])
        #expect(tests["measuredMbps"] as? Double == 47.8 && tests["normalMbps"] as? Double == 100)
        #expect(tests["server"] as? String == "home" && tests["confirmation"] as? String == "confirmed")
        #expect(message.summary == shortfall.sentence)
        #expect(
            try #require(JSONSerialization.jsonObject(with: Data(self.message(.lost).json)) as? [String: Any])[
                "shortfall"
            ] is NSNull
        )
    }

    @Test func `a template is filled in, and its values are escaped for JSON`() throws {
        let template = try WebhookTemplate(
            #"{"text": "{{summary}} on {{ interface }}", "at": "{{started}}", "end": "{{ended}}"}{{"#
        )
        let body = String(decoding: template.body(message(.lost, interface: "a\"b\n")), as: UTF8.self)
        #expect(
            body == """
                {"text": "Offline for 42 s (cause: gateway) on a\\"b\\n", "at": "2026-09-21T14:13:20Z", "end": ""}{{
                """
        )
    }

    @Test(arguments: WebhookTemplate.Placeholder.allCases)
    func `every placeholder of the list is known`(placeholder: WebhookTemplate.Placeholder) throws {
        let template = try WebhookTemplate("a {{\(placeholder.rawValue)}} b")
        #expect(!String(decoding: template.body(message(.restored)), as: UTF8.self).contains("{{"))
    }

    @Test(arguments: [("{{evnt}}", 1), ("{{event}}{{ seconds }} a {{evnt}}", 3)])
    func `an unknown placeholder is an error with its place, that lists the known ones`(text: String, number: Int) {
        let error = #expect(throws: WebhookTemplate.Mistake.self) { try WebhookTemplate(text) }
        #expect(
            error?.description.hasPrefix("placeholder \(number) is unknown, expected one of: event, started") == true
        )
    }
}
