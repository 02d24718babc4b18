import Foundation
import Probing
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct TargetRoundTripTests {
    private func read(_ yaml: String) throws -> TargetsSection {
        try Configuration.read(Array(yaml.utf8), file: "/nonexistent/test.yml", environment: [:]).targets
    }

    @Test(arguments: [
        "name: a, module: icmp, address: _gateway, interval: 100ms, timeout: 5m, ip_family: ipv6",
        "name: \"ü ${X} \\\" #\", module: icmp, address: b, interface: eth0.1, labels: { b: \"1\", a: \"ü${Y}\" }",
        "name: a, module: icmp, address: b, on_expensive: slow, on_constrained: run, counts_for_latency: false",
        "name: a, module: tcp, address: \"b:1\"",
        "name: a, module: tcp, address: \"b:1\", tls: true",
        "name: a, module: tcp, address: \"b:1\", tls: true, ca_file: /etc/ssl/certs/ca-certificates.crt, server_name: c",
        "name: a, module: dns, address: \"[2001:db8::1]:53\", query: example.com, type: TXT",
        "name: a, module: http, address: \"https://b/?c=d#e\"",
        "name: a, module: http, address: \"http://b\", method: PUT, expect: { status: [200, 301], body_regex: \"^\\\\d+ \\\"$\" }",
        """
        name: a, module: http, address: "http://b", proxy_url: "socks5://p:1", ca_file: /etc/ssl/certs/ca-certificates.crt,
        tls_config: { cert_file: /etc/hostname, key_file: /etc/hostname, server_name: c, insecure_skip_verify: true }
        """,
        "name: a, module: graphql, address: \"http://b\", query: \"{ a\\n  b }\"",
    ])
    func `what is printed reads the same`(entries: String) throws {
        // A variable would be filled in here, but not in what was written.
        let yaml = "targets: [{ \(entries.replacing("${", with: "$${")) }]\ntargets_on_expensive: run\n"
        let section = try read(yaml)
        #expect(section.all.count == 1)
        #expect(try read(section.yaml) == section)
    }

    @Test func `secrets are masked, and the rest reads as it was`() throws {
        let secret = "hunter2"
        let yaml = """
            targets:
              - name: a
                module: http
                address: "http://b/"
                headers: { X-Key: \(secret) }
                proxy_url: "http://\(secret):\(secret)@proxy:3128"
                basic_auth: { username: alice, password: "\(secret)" }
              - name: b
                module: graphql
                address: "http://b/"
                query: "{ a }"
                authorization: { type: Token, credentials: \(secret) }
            """
        let section = try read(yaml)
        let printed = section.yaml
        #expect(!printed.contains(secret))
        #expect(!printed.contains(Data("alice:\(secret)".utf8).base64EncodedString()))
        let again = try read(printed)
        #expect(again.yaml == printed)
        #expect(
            printed == """
                targets_on_expensive: slow
                targets:
                  - name: "a"
                    module: http
                    address: "http://b/"
                    interval: 10s
                    timeout: 5s
                    ip_family: auto
                    method: GET
                    expect: { status: [], body_regex: "" }
                    headers: { "X-Key": "<secret>" }
                    basic_auth: { username: "alice", password: "<secret>" }
                    proxy_url: "http://<secret>@proxy:3128"
                  - name: "b"
                    module: graphql
                    address: "http://b/"
                    interval: 10s
                    timeout: 5s
                    ip_family: auto
                    query: "{ a }"
                    headers: {}
                    authorization: { type: "Token", credentials: "<secret>" }
                targets_files: []

                """
        )
    }

    @Test func `everything together is one document`() throws {
        let yaml = Configuration().yaml
        #expect(try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]) == Configuration())
    }
}
