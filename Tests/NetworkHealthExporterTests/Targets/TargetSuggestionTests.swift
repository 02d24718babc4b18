import Posix
import Probing
import StrictYAML
import Testing

@testable import NetworkHealthExporter

struct TargetSuggestionTests {
    @Test(arguments: [
        ("https://example.com/a", nil, #"{ name: "example.com", module: http, address: "https://example.com/a" }"#),
        ("example.com", "http", #"{ name: "example.com", module: http, address: "http://example.com" }"#),
        ("example.com", "http_2xx", #"{ name: "example.com", module: http, address: "http://example.com" }"#),
        ("example.com", nil, #"{ name: "example.com", module: icmp, address: "example.com" }"#),
        ("192.0.2.1", "icmp_ttl5", #"{ name: "192.0.2.1", module: icmp, address: "192.0.2.1" }"#),
        ("db.test:5432", "tcp_connect", #"{ name: "db.test:5432", module: tcp, address: "db.test:5432" }"#),
        ("[2001:db8::1]:22", nil, #"{ name: "[2001:db8::1]:22", module: tcp, address: "[2001:db8::1]:22" }"#),
        ("9.9.9.9", "dns_udp", #"{ name: "9.9.9.9", module: dns, address: "9.9.9.9", query: "example.com" }"#),
        (
            "https://a.test/graphql", "graphql",
            ##"{ name: "a.test", module: graphql, address: "https://a.test/graphql", query: "{ __typename }" }"##
        ),
        ("http://taken.test/", "http", #"{ name: "http://taken.test/", module: http, address: "http://taken.test/" }"#),
    ])
    func `The line has the module asked for, and is accepted as it is`(text: String, module: String?, line: String)
        throws
    {
        let suggestion = TargetSuggestion(for: text, module: module, taken: ["taken.test"])
        #expect(suggestion.line == line)
        #expect(suggestion.description.hasSuffix("\n\ntargets:\n  - \(line)\n"))
        let lines = suggestion.description.split(separator: "\n").dropFirst().joined(separator: "\n")
        let configuration = try Configuration.read(Array(lines.utf8), file: "test.yml", environment: [:])
        #expect(configuration.targets.all.map(\.module) == [suggestion.module])
    }

    @Test(arguments: [
        ("example.com", "tcp", "HOST:PORT"), ("https://example.com/", "icmp", "a host, an IP address or _gateway"),
        ("two words", nil, "expected a host"), ("", nil, "expected"), ("a\tb", "icmp", "expected"),
        ("x\n  - { name: b", "icmp", "expected a host"), ("http://[::1/", nil, "expected"),
        ("http://a.test/\(String(repeating: "a", count: 5000))", "icmp", "expected"),
    ])
    func `An address that is none for the module is refused with what is expected`(
        text: String,
        module: String?,
        expectation: String
    ) {
        let suggestion = TargetSuggestion(for: text, module: module)
        #expect(suggestion.line == nil)
        #expect(suggestion.description.contains(expectation), "\(suggestion)")
        #expect(suggestion.description.utf8.count < 1000)
    }

    @Test func `What a request contains is never filled in`() throws {
        let suggestion = TargetSuggestion(for: "http://a.test/${HOME}${file:/etc/passwd}", module: nil)
        let line = try #require(suggestion.line)
        #expect(line.contains("/$${HOME}$${file:/etc/passwd}"))
    }
}
