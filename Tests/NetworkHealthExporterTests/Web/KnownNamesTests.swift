import Posix
import Testing

@testable import NetworkHealthExporter

struct KnownNamesTests {
    private static let hosts = """
        127.0.0.1\tlocalhost
        127.0.1.1  Edge-1.example.net edge-1 # edge-1 comment.example
        127.0.0.1 ads.example
        #127.0.0.1 edge-1 off.example
        192.0.2.9 edge-10 edge-10.example.net
        """

    @Test func `a host has its name, that in the local network, and those beside it in the hosts file`() {
        let names: Set = ["edge-1", "edge-1.local", "edge-1.example.net"]
        #expect(KnownNames.ofHost("edge-1", hosts: Self.hosts) == names)
        #expect(KnownNames.ofHost("EDGE-1", hosts: "") == ["edge-1", "edge-1.local"])
    }

    @Test func `a host name with a domain has its short form, too`() {
        #expect(KnownNames.ofHost("edge-2.example.net", hosts: "") == ["edge-2.example.net", "edge-2", "edge-2.local"])
        #expect(KnownNames.ofHost("edge-1.example.net", hosts: Self.hosts).contains("edge-1"))
    }

    @Test func `without a host name there is none`() {
        #expect(KnownNames.ofHost("", hosts: "127.0.0.1 a b\n") == [])
        #expect(KnownNames.ofHost(".", hosts: "127.0.0.1 a b\n") == [])
    }

    @Test func `this host's own name is known`() throws {
        let name = try #require(SmallFile.line("/proc/sys/kernel/hostname"))
        #expect(
            KnownNames().contains(name) && KnownNames().contains("localhost") && !KnownNames().contains("evil.example")
        )
    }

    @Test(arguments: [
        ("monitor.example", true), (".monitoring.svc", true), (".svc", true), ("a_b", true), ("exporter.", true),
        ("", false), (".", false), ("..svc", false), ("*.svc", false), ("a:80", false), ("192.0.2.1", false),
        ("[::1]", false), ("http://a", false), (".1", false), ("a b", false),
    ])
    func `a name or a suffix is allowed`(text: String, expected: Bool) {
        #expect(KnownNames.isAllowed(text) == expected)
    }
}
