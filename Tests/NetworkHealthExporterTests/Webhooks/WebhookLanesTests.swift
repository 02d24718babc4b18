import HTTPTransfer
import OfflineQueue
import Probing
import Testing

@testable import NetworkHealthExporter

/// With whose credentials waiting messages go out after the file was changed.
struct WebhookLanesTests {
    private func webhook(_ secret: String?, to topic: String) throws -> Webhook {
        var webhook = Webhook()
        (webhook.url, webhook.secret) = ("https://ntfy.test/", secret)
        webhook.body = try WebhookTemplate(#"{"topic": "\#(topic)", "message": "{{summary}}"}"#)
        return webhook
    }

    /// A message of each, as it waits in the queue.
    private func messages(of webhooks: [Webhook]) -> [RetryableRequest] {
        zip(webhooks, webhooks.lanes).map { webhook, lane in
            RetryableRequest(
                endpoint: webhook.url,
                method: "POST",
                requestType: Webhook.requestType,
                orderingKey: lane
            )
        }
    }

    private func secrets(_ messages: [RetryableRequest], among webhooks: [Webhook]) -> [String?] {
        messages.map { webhooks.receiver(of: $0)?.secret }
    }

    @Test func `of several webhooks with one URL each sends its waiting messages with its own credentials`() throws {
        let (first, second) = (try webhook("1", to: "a"), try webhook("2", to: "b"))
        let new = try webhook("3", to: "c")
        let waiting = messages(of: [first, second])
        for reordered in [[first, second], [second, first], [new, first, second], [second, new, first]] {
            #expect(secrets(waiting, among: reordered) == ["1", "2"])
        }
        #expect(secrets(waiting, among: [second]) == [nil, "2"], "its receiver is no longer configured")
        #expect(secrets(waiting, among: [new]) == [nil, nil])
        #expect(secrets(waiting, among: []) == [nil, nil])
        var other = new
        other.url = "https://other.test/"
        #expect(secrets(messages(of: [other, first, second]), among: [second, other, first]) == ["3", "1", "2"])
    }

    @Test func `credentials that were renewed are for the messages that wait, too`() throws {
        var (first, second) = (try webhook("1", to: "a"), try webhook("2", to: "b"))
        first.headers = ["Authorization": "Bearer old"]
        let waiting = messages(of: [first, second])
        first.headers = ["authorization": "Bearer new"]
        (first.secret, second.secret) = ("3", "4")
        let renewed = [second, first]
        #expect(secrets(waiting, among: renewed) == ["3", "4"])
        #expect(renewed.receiver(of: waiting[0])?.headers == ["authorization": "Bearer new"])
    }

    @Test func `the only webhook of a URL keeps its messages when it is changed, and when it gets company`() throws {
        let alone = try webhook("1", to: "a")
        let other = try webhook("2", to: "b")
        var changed = alone
        changed.events = [.lost]
        let waiting = messages(of: [alone])
        #expect(secrets(waiting, among: [changed]) == ["1"])
        #expect(secrets(waiting, among: [other, alone]) == ["1"])
        #expect(secrets(waiting, among: [other, changed]) == [nil], "it may be that of either")
        // Two become one.
        #expect(secrets(messages(of: [alone, other]), among: [alone]) == ["1", nil])
    }

    /// What two webhooks with one URL may differ in.
    private static let changes: [@Sendable (inout Webhook) -> Void] = [
        { $0.events = [.lost, .restored] }, { $0.requirement = "unmetered" }, { $0.minOutage = .seconds(31) },
        { $0.body = nil }, { $0.contentType = "text/plain" }, { $0.headers = ["X-Token": "t"] },
        { $0.request.authorization = "Basic eDp5" }, { $0.request.tls.certificateFile = "/etc/own.pem" },
    ]

    @Test(arguments: changes.indices)
    func `the key of a webhook depends on all its settings but the values of credentials`(index: Int) throws {
        let first = try webhook("1", to: "a")
        var second = try webhook("2", to: "a")
        Self.changes[index](&second)
        #expect(secrets(messages(of: [first, second]), among: [second, first]) == ["1", "2"])
    }

    @Test func `the key depends on whether there is a secret, and not on the order of the events`() throws {
        var (first, second) = (try webhook("1", to: "a"), try webhook(nil, to: "a"))
        first.events = [.lost, .restored]
        second.events = [.restored, .lost]
        let waiting = messages(of: [first, second])
        first.events.reverse()
        let exchanged = [second, first]
        #expect(secrets(waiting, among: exchanged) == ["1", nil])
        #expect(exchanged.receiver(of: waiting[1]) == second)
    }

    @Test func `webhooks that differ only in the values of credentials are numbered in their order`() throws {
        let (first, second) = (try webhook("1", to: "a"), try webhook("2", to: "a"))
        let waiting = messages(of: [first, second])
        #expect(secrets(waiting, among: [first, second]) == ["1", "2"])
        #expect(secrets(waiting, among: [second, first]) == ["2", "1"])
    }
}
