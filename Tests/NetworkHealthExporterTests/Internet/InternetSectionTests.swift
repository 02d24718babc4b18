import HTTPTransfer
import Posix
import Probing
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct InternetSectionTests {
    typealias Broken = ConfigurationErrorTests.Broken

    private func read(_ yaml: String) throws -> InternetSection {
        try Configuration.read(Array(yaml.utf8), file: "test.yml", environment: [:]).internet
    }

    @Test(arguments: ["", "internet:\n", "internet: {}\n"])
    func `what is not written has its default`(yaml: String) throws {
        let section = try read(yaml)
        #expect(section == InternetSection())
        #expect(section.isEnabled)
        #expect(section.configuration == InternetConfiguration())
    }

    @Test func `reads every key`() throws {
        let section = try read(
            """
            internet:
              enabled: false
              interval: 1m
              expensive_interval: 24h
              timeout: 100ms
              untrusted_tls: deny
              tls_config: { ca_file: "/etc/ssl/certs/ca-certificates.crt" }
              proxy_url: "http://proxy.example:3128"
              probes:
                - { name: a, url: "http://198.18.0.1/ok", expect: { body_prefix: "ok" } }
                - { name: b_-9, url: "https://[2001:db8::1]:8443/", expect: { status: 404 } }
              https: []
              literals: ["198.18.0.1:1"]
            """
        )
        #expect(!section.isEnabled)
        let configuration = section.configuration
        #expect(configuration.interval == .seconds(60) && configuration.expensiveInterval == .seconds(86_400))
        #expect(configuration.timeout == .milliseconds(100))
        #expect(configuration.untrustedTLS == .deny)
        #expect(configuration.tls.caFile == "/etc/ssl/certs/ca-certificates.crt")
        #expect(configuration.proxy == "http://proxy.example:3128")
        #expect(
            configuration.probes == [
                .init(name: "a", url: "http://198.18.0.1/ok", expectation: .bodyPrefix("ok")),
                .init(name: "b_-9", url: "https://[2001:db8::1]:8443/", expectation: .status(404)),
            ]
        )
        #expect(configuration.https.isEmpty)
        #expect(configuration.literals.map(\.description) == ["198.18.0.1:1"])
        #expect(try read(section.yaml) == section, "what is printed reads the same")
    }

    @Test func `the default is the section of the manual`() throws {
        let yaml = InternetSection().yaml
        #expect(
            yaml == """
                internet:
                  enabled: true
                  interval: 30s
                  expensive_interval: 5m
                  timeout: 3s
                  untrusted_tls: allow
                  probes:
                    - { name: "google", url: "http://connectivitycheck.gstatic.com/generate_204", expect: { status: 204 } }
                    - { name: "mozilla", url: "http://detectportal.firefox.com/success.txt", expect: { body_prefix: "success" } }
                  https: ["https://www.cloudflare.com/cdn-cgi/trace", "https://www.gstatic.com/generate_204"]
                  literals: ["1.1.1.1:443", "[2606:4700:4700::1111]:443"]

                """
        )
        #expect(try read(yaml) == InternetSection())
    }

    static let duration = ConfigurationErrorTests.duration
    static let url = "expected an absolute http or https URL without user info such as http://example.com/health"

    static let errors = [
        Broken("internet: true", "1: internet: expected a mapping, found a text"),
        Broken(
            "internet:\n  interval: 999ms\n",
            "2: internet.interval: \(duration) from 1s to 1d, found \"999ms\""
        ),
        Broken(
            "internet: { literals: [\"127.0.0.1:443\"] }",
            "1: internet.literals[0]: expected ADDRESS:PORT such as 192.0.2.1:443 or [2001:db8::1]:443, found \"127.0.0.1:443\""
        ),
        Broken(
            "internet:\n  expensive_interval: 25h\n",
            "2: internet.expensive_interval: \(duration) from 1s to 1d, found \"25h\""
        ),
        Broken("internet:\n  timeout: 99ms\n", "2: internet.timeout: \(duration) from 100ms to 1m, found \"99ms\""),
        Broken(
            "internet:\n  timeout: 31s\n",
            "2: internet.timeout: expected at most interval and expensive_interval, and it is 31s"
        ),
        Broken(
            "internet: { interval: 2s }\n",
            "1: internet: timeout: expected at most interval and expensive_interval, and it is 3s"
        ),
        Broken("internet:\n  probes: []\n", "2: internet.probes: expected at least one"),
        Broken("internet:\n  probes: [{ name: a }]\n", "2: internet.probes[0]: the key \"url\" is missing"),
        probe(
            "name: https",
            "name: expected 1 to 63 letters, digits, _ or -, and none of https, literal, gateway, found \"https\""
        ),
        probe(
            "name: a.b",
            "name: expected 1 to 63 letters, digits, _ or -, and none of https, literal, gateway, found \"a.b\""
        ),
        probe("url: \"ftp://x/\"", "url: \(url), found \"ftp://x/\""),
        probe("url: example.com", "url: \(url), found \"example.com\""),
        probe("url: \"http://\"", "url: \(url), found \"http://\""),
        probe("url: \"http://a b/\"", "url: \(url), found \"http://a b/\""),
        probe("url: \"http://a:0/\"", "url: \(url), found \"http://a:0/\""),
        probe("url: \"http://2001:db8::1/\"", "url: \(url), found \"http://2001:db8::1/\""),
        probe("url: \"http://me:hunter2@x/\"", "url: \(url), found a text"),
        probe("expect: {}", "expect: expected either status or body_prefix"),
        probe("expect: { status: 204, body_prefix: a }", "expect: expected either status or body_prefix"),
        probe("expect: { status: 99 }", "expect.status: expected a whole number from 100 to 599, found \"99\""),
        probe("expect: { body_prefix: \"\" }", "expect.body_prefix: expected a text that is not empty, found \"\""),
        Broken(
            """
            internet:
              probes:
                - { name: a, url: "http://x/", expect: { status: 200 } }
                - { name: a, url: "http://y/", expect: { status: 200 } }
            """,
            "4: internet.probes[1]: the name \"a\" is already taken"
        ),
        Broken(
            "internet: { https: [\"http://x/\"] }",
            "1: internet.https[0]: expected an absolute https URL without user info such as https://example.com/health, found \"http://x/\""
        ),
        Broken(
            "internet: { literals: [\"example.com:443\"] }",
            "1: internet.literals[0]: expected ADDRESS:PORT such as 192.0.2.1:443 or [2001:db8::1]:443, found \"example.com:443\""
        ),
    ]

    /// A probe whose other keys are right.
    private static func probe(_ entry: String, _ message: String) -> Broken {
        let right = ["name: a", "url: \"http://x/\"", "expect: { status: 204 }"]
        let key = entry.prefix { $0 != ":" }
        let entries = right.filter { !$0.hasPrefix("\(key):") } + [entry]
        return Broken(
            "internet:\n  probes:\n    - { \(entries.joined(separator: ", ")) }\n",
            "3: internet.probes[0].\(message)"
        )
    }

    @Test(arguments: errors) func `an error has the file, the line, the key and what was expected`(broken: Broken)
        throws
    {
        let error = try #require(throws: YAMLErrors.self) { try read(broken.yaml) }
        #expect(error.description == "test.yml:\(broken.message)")
    }
}
