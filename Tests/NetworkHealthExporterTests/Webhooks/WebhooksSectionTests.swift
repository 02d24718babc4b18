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
                body: '{"routing_key": "hidden", "text": "{{summary}}"}'
                content_type: text/plain
                headers: { X-Own: hidden }
            offline_queue:
              allowed_hosts: [{ host: API.example.com, headers: { Authorization: hidden } }, { host: "2001:DB8::1" }]
            """
        )
        #expect(configuration.webhooks.count == 2)
        #expect(configuration.webhooks[0].events == [.restored] && configuration.webhooks[0].requirement == nil)
        #expect(configuration.webhooks[0].minOutage == .seconds(30) && configuration.webhooks[0].body == nil)
        let second = configuration.webhooks[1]
        #expect(second.events == [.lost, .quality] && second.requirement == "online" && second.minOutage == .zero)
        #expect(
            second.secret == "hidden" && second.contentType == "text/plain" && second.headers == ["X-Own": "hidden"]
        )
        #expect(configuration.offlineQueue.allowedHosts.map(\.host) == ["api.example.com", "2001:db8::1"])
        for secret in ["hidden", "hooks.test", "B0"] { #expect(!configuration.yaml.contains(secret)) }
    }

    @Test func `a webhook can wait for any requirement, also of an uplink`() throws {
        let configuration = try read(
            """
            uplinks: [{ name: cable, match: { interface: eth0 } }]
            requirements: { overCable: { uplink: cable } }
            webhooks: [{ url: "http://h/", when: overCable }, { url: "http://h/", when: always }]
            """
        )
        #expect(configuration.webhooks.map(\.requirement) == ["overCable", nil])
        #expect(configuration.yaml.contains("when: \"overCable\"") && configuration.yaml.contains("when: always"))
    }

    @Test(arguments: [
        ("webhooks: [{}]", "url"), ("webhooks: [{ url: \"http://h/\", events: [] }]", "events: expected at least one"),
        ("webhooks: [{ url: \"http://h/\", body: \"{{nothing}}\" }]", "placeholder 1 is unknown"),
        (#"webhooks: [{ url: "http://h/", when: sometimes }]"#, "when: there is no requirement \"sometimes\""),
        (#"webhooks: [{ url: "http://h/", when: "" }]"#, "expected always or the name of a requirement such as online"),
        ("offline_queue: { allowed_hosts: [{ host: \"a b\" }] }", "a host's name"),
        ("offline_queue: { allowed_hosts: [{ host: a, methods: [post] }] }", "one of GET"),
    ])
    func `a mistake names its key and what was expected`(yaml: String, message: String) {
        let error = #expect(throws: (any Error).self) { try read(yaml) }
        #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test(arguments: [
        #"webhooks: [{ url: "htps://hooks.test/hidden" }]"#, #"webhooks: [{ url: "https://u:hidden@hooks.test/" }]"#,
        #"webhooks: [{ url: "hooks.test/hidden" }]"#, #"webhooks: [{ url: "https://hooks.test/hidden path" }]"#,
        #"webhooks: [{ url:https://hooks.test/hidden }]"#, #"webhooks: ["https://hooks.test/hidden"]"#,
        #"webhooks: "https://hooks.test/hidden""#, "webhooks:\n  - url:https://hooks.test/hidden\n",
        #"webhooks: [{ url: "http://h/", body: "{{hidden}}" }]"#,
        #"webhooks: [{ url: "http://h/", body: ["hidden"] }]"#,
        #"webhooks: [{ url: "http://h/", headers: "Authorization: hidden" }]"#,
        #"webhooks: [{ url: "http://h/", headers: { Authorization:hidden } }]"#,
        #"webhooks: [{ url: "http://h/", authorization: "Bearer hidden" }]"#,
        #"webhooks: [{ url: "http://h/", basic_auth: "user:hidden" }]"#,
        #"webhooks: [{ url: "http://h/", proxy_url: "http://u:hidden@p:x" }]"#,
        #"webhooks: [{ url: "http://h/", secret:hidden }]"#, #"webhooks: [{ url: "http://h/", url:http://h/hidden }]"#,
        #"targets: [{ name: a, module: http, address: "http://u:hidden@h/" }]"#,
        #"host: { url: "http://u:hidden@h/" }"#, #"offline_queue: { allowed_hosts: [{ host: "u:hidden@h" }] }"#,
        #"speedtest: { servers: [{ name: a, url: "http://u:hidden@h/" }] }"#,
        #"internet: { http: [{ url: "http://u:hidden@h/" }], https: ["https://u:hidden@h/"] }"#,
    ])
    func `no error shows a webhook's URL, body or headers, nor user info`(yaml: String) throws {
        let error = try #require(throws: (any Error).self) { try read(yaml) }
        #expect("\(error)".hasPrefix("test.yml:") && !"\(error)".contains("hidden"), "\(error)")
    }
}
