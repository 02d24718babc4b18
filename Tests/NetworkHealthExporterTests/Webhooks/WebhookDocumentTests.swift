import Foundation
import NetworkHealth
import NetworkPath
import SpeedTestCore
import Statistics
import Testing

@testable import NetworkHealthExporter

/// The templates of `docs/webhooks.md`, filled in with strings that are hard to quote, beside the formats of the services.
struct WebhookDocumentTests {
    private static let strange = "a\"b\\c\nd\t{{event}}\u{1}\u{2028}é日本🛰'%$`</script>"

    private let webhooks: [String: Webhook]

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/webhooks.md")
        let text = try String(contentsOf: file.standardized, encoding: .utf8)
        var webhooks: [String: Webhook] = [:]
        for part in text.components(separatedBy: "### ").dropFirst() {
            let name = String(part.prefix { $0 != "\n" })
            let yaml = try #require(part.firstMatch(of: /```yaml\n([^`]*)```/)).output.1
            let configuration = try Configuration.read(Array(yaml.utf8), file: "webhooks.md", environment: [:])
            webhooks[name] = configuration.webhooks.first
        }
        self.webhooks = webhooks
    }

    private func message(_ event: WebhookEvent) -> WebhookMessage {
        let occurrence = WebhookOccurrence(
            event: event,
            started: Date(timeIntervalSince1970: 1_790_000_000),
            ended: event == .restored ? Date(timeIntervalSince1970: 1_790_000_090.2) : nil,
            seconds: 90.2,
            cause: Self.isOutage(event) ? .gateway : nil,
            location: Self.isOutage(event) ? .access : nil,
            fault: Self.fault(event),
            shortfall: event == .belowPlan ? Self.shortfall : nil,
            outages: Self.isOutage(event) ? 2 : 0,
            previousQuality: event == .quality ? .poor : nil
        )
        var message = WebhookMessage(
            occurrence,
            snapshot: SnapshotDocument(HealthState.online { $0.interface?.name = Self.strange })
        )
        if Self.isOutage(event) { message.cause = Self.strange }
        return message
    }

    private static func isOutage(_ event: WebhookEvent) -> Bool { event == .lost || event == .restored }

    private static func fault(_ event: WebhookEvent) -> FaultEvent? {
        guard event == .fault || event == .faultEnded else { return nil }
        let fault = Fault(.access, .loss, since: .now, [FaultObservation(.loss, at: .now, says: strange)])
        let ended = event == .faultEnded ? Date(timeIntervalSince1970: 1_790_000_090.2) : nil
        return FaultEvent(fault, since: Date(timeIntervalSince1970: 1_790_000_000), ended: ended, seconds: 90.2)
    }

    /// Of servers whose names are hard to quote.
    private static var shortfall: PlanShortfall? {
        var slow = SpeedTestReport.good()
        (slow.server, slow.download) = (strange, .of(47.8) { $0.queue = .access })
        return PlanRule(plans: Plans.of(download: .init(normal: 100_000_000))).shortfalls([slow, slow]).first
    }

    /// The fields of the body that a service gets for an event.
    private func fields(_ service: String, _ event: WebhookEvent) throws -> [String: any Sendable] {
        let webhook = try #require(webhooks[service])
        #expect(webhook.contentType == "application/json")
        let body = try #require(webhook.body).body(message(event))
        return try #require(
            JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable],
            "\(String(decoding: body, as: UTF8.self))"
        )
    }

    @Test func `There is one template for each service, and none for another`() {
        #expect(webhooks.keys.sorted() == ["Discord", "Home Assistant", "Slack", "ntfy"])
    }

    /// ntfy: JSON at the root of the server.
    ///
    /// `topic` is required; `priority` is a number from 1 to 5, `tags` a list of texts.
    @Test(arguments: WebhookEvent.allCases) func `ntfy gets the fields that it knows, in their ranges`(
        event: WebhookEvent
    ) throws {
        let fields = try fields("ntfy", event)
        let url = try #require(webhooks["ntfy"]?.url)
        #expect(URL(string: url)?.path(percentEncoded: false) == "/")
        #expect(Set(fields.keys) == ["topic", "title", "message", "priority", "tags"])
        let topic = try #require(fields["topic"] as? String)
        #expect(topic.wholeMatch(of: /[-_A-Za-z0-9]{1,64}/) != nil)
        #expect((1...5).contains(try #require(fields["priority"] as? Int)))
        #expect(fields["tags"] as? [String] == [event.rawValue])
        #expect(fields["message"] as? String == message(event).summary)
        #expect(try #require(fields["title"] as? String).contains(Self.strange))
    }

    /// Slack: an incoming webhook requires `text`.
    @Test(arguments: WebhookEvent.allCases) func `Slack gets one text`(event: WebhookEvent) throws {
        let fields = try fields("Slack", event)
        #expect(Set(fields.keys) == ["text"])
        #expect(fields["text"] as? String == "\(message(event).summary) on \(Self.strange)")
    }

    /// Discord: `content` has at most 2,000 characters; without `allowed_mentions` a text could notify everyone.
    @Test(arguments: WebhookEvent.allCases) func `Discord gets a text within its limits that notifies no one`(
        event: WebhookEvent
    ) throws {
        let fields = try fields("Discord", event)
        #expect(Set(fields.keys) == ["content", "username", "allowed_mentions"])
        let content = try #require(fields["content"] as? String)
        #expect(content == "\(message(event).summary) on \(Self.strange)" && content.count <= 2000)
        #expect((1...80).contains(try #require(fields["username"] as? String).count))
        #expect((fields["allowed_mentions"] as? [String: [String]]) == ["parse": []])
    }

    /// Home Assistant: any JSON object is `trigger.json`, where the header says that it is JSON.
    @Test(arguments: WebhookEvent.allCases) func `Home Assistant gets each value as a field of its own`(
        event: WebhookEvent
    ) throws {
        let fields = try fields("Home Assistant", event)
        let path = webhooks["Home Assistant"].flatMap { URL(string: $0.url)?.path() }
        #expect(path?.hasPrefix("/api/webhook/") == true)
        #expect(fields["event"] as? String == event.rawValue && fields["seconds"] as? Double == 90.2)
        #expect(fields["quality"] as? String == "good")
        #expect(fields["cause"] as? String == (Self.isOutage(event) ? Self.strange : ""))
        #expect(
            fields["location"] as? String == ([.quality, .uplinkSwitched, .uplinkLost].contains(event) ? "" : "access")
        )
        #expect(fields["summary"] as? String == message(event).summary)
    }
}
