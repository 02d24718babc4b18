import Testing

@testable import NetworkHealthExporter

@Suite struct WebhooksSectionTests {
    private func read(_ yaml: String) throws -> Configuration {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:])
    }

    @Test func `reads every key, and prints no secret`() throws {
        let configuration = try read(
            """
            webhooks:
              - { url: "https://hooks.test/T0/B0/path" }
              - url: "http://198.18.0.1/x"
                events: [lost, quality]
                when: online
                min_outage: 0s
                secret: hidden
                body: '{"text": "{{summary}}"}'
                content_type: text/plain
                headers: { X-Own: hidden }
            offline_queue:
              allowed_hosts: [{ host: API.example.com, headers: { Authorization: hidden } }, { host: "2001:DB8::1" }]
            """
        )
        #expect(configuration.webhooks.count == 2)
        #expect(configuration.webhooks[0].events == [.restored] && configuration.webhooks[0].condition == .always)
        #expect(configuration.webhooks[0].minOutage == .seconds(30) && configuration.webhooks[0].body == nil)
        let second = configuration.webhooks[1]
        #expect(second.events == [.lost, .quality] && second.condition == .online && second.minOutage == .zero)
        #expect(
            second.secret == "hidden" && second.contentType == "text/plain" && second.headers == ["X-Own": "hidden"]
        )
        #expect(configuration.offlineQueue.allowedHosts.map(\.host) == ["api.example.com", "2001:db8::1"])
        for secret in ["hidden", "hooks.test", "B0"] { #expect(!configuration.yaml.contains(secret)) }
    }

    @Test(arguments: [
        ("webhooks: [{}]", "url"), ("webhooks: [{ url: \"http://h/\", events: [] }]", "events: expected at least one"),
        ("webhooks: [{ url: \"http://h/\", body: \"{{nothing}}\" }]", "unknown placeholder {{nothing}}"),
        ("offline_queue: { allowed_hosts: [{ host: \"a b\" }] }", "a host's name"),
        ("offline_queue: { allowed_hosts: [{ host: a, methods: [post] }] }", "one of GET"),
    ])
    func `a mistake names its key and what was expected`(yaml: String, message: String) {
        let error = #expect(throws: (any Error).self) { try read(yaml) }
        #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
    }
}
