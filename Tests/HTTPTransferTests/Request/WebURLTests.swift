import HTTPTransfer
import Posix
import Testing

struct WebURLTests {
    @Test(
        arguments: [
            ("http://example.test", false, "example.test", 80, "example.test"),
            ("HTTPS://Example.test/x", true, "Example.test", 443, "Example.test"),
            ("http://[2001:db8::1]:8080/", false, "2001:db8::1", 8080, "[2001:db8::1]:8080"),
            ("http://[2001:db8::1]/", false, "2001:db8::1", 80, "[2001:db8::1]"),
            ("https://[fe80::1%25eth0]:444/", true, "fe80::1%eth0", 444, "[fe80::1%25eth0]:444"),
            ("https://user:secret@192.0.2.1:80/", true, "192.0.2.1", 80, "192.0.2.1:80"),
            ("https://example.test:443/", true, "example.test", 443, "example.test"),
        ] as [(String, Bool, String, UInt16, String)]
    )
    func `a URL has a host and a port`(
        _ url: String,
        _ isTLS: Bool,
        _ host: String,
        _ port: UInt16,
        _ authority: String
    )
        throws
    {
        let url = try #require(WebURL(url))
        #expect(url.isTLS == isTLS && url.host == host && url.port == port && url.authority == authority)
    }

    @Test(arguments: [
        ("http://h", "http://h/", "/"),
        ("https://u:p%40x@h:443/a/../b?c=d&e#f", "https://u:p%40x@h/a/../b?c=d&e", "/a/../b?c=d&e"),
        ("http://user@h/", "http://user@h/", "/"), ("http://[::1]:81/?", "http://[::1]:81/?", "/?"),
        ("https://[fe80::1%25eth0]/x", "https://[fe80::1%25eth0]/x", "/x"),
    ])
    func `a URL is written as it was read, without a default port and a fragment`(
        _ text: String,
        _ written: String,
        _ target: String
    ) throws {
        let url = try #require(WebURL(text))
        #expect(url.description == written)
        #expect(url.target == target)
        #expect(WebURL(written) == url)
    }

    @Test func `its parts can be changed, and a root be made of a host and a port`() throws {
        var url = try #require(WebURL("https://example.test/a?b"))
        url.host = "other.test"
        url.port = 8443
        url.path = "/c"
        #expect(url.description == "https://other.test:8443/c?b")
        #expect(url.origin == "https://other.test:8443")
        #expect(WebURL(scheme: "https", host: "fe80::1%eth0", port: 53).description == "https://[fe80::1%25eth0]:53/")
        #expect(WebURL(scheme: "https", host: "example.net", port: 443).description == "https://example.net/")
    }

    @Test(arguments: ["ws://h/", "wss://h/", "socks5://h", "ftp://h/"])
    func `other schemes are read where they are allowed`(text: String) {
        #expect(WebURL(text) == nil)
        #expect((WebURL(text, schemes: ["ws", "wss", "socks5"]) != nil) == !text.hasPrefix("ftp"))
    }

    @Test func `user information is masked`() {
        #expect(WebURL.masked("http://user:pass@proxy:3128") == "http://<secret>@proxy:3128")
        #expect(WebURL.masked("http://user:p@ss@proxy:3128") == "<secret>")
        #expect(WebURL.masked("socks5://token@proxy") == "socks5://<secret>@proxy")
        #expect(WebURL.masked("http://proxy/a@b") == "http://proxy/a@b")
    }
}
