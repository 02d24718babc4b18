import Lab
import Testing

@testable import NetworkHealthExporter

struct ExporterClientTests {
    @Test(arguments: [
        ("http://localhost", "http://localhost:10319"), ("http://localhost/", "http://localhost:10319"),
        ("http://10.0.0.1:80", "http://10.0.0.1:80"), ("http://h:1/a/b/", "http://h:1/a/b"),
        ("http://h:1/a", "http://h:1/a"), ("http://[::1]:2", "http://[::1]:2"), ("http://[::1]", "http://[::1]:10319"),
        ("http://[fe80::1%eth0]:3/x", "http://[fe80::1%eth0]:3/x"), ("http://h:65535//", "http://h:65535"),
        ("http://2001:db8::1:10319", "http://[2001:db8::1]:10319"),
        ("https://2001:db8::1:10319/net/", "https://[2001:db8::1]:10319/net"),
        ("https://h/", "https://h:10319"), ("https://h:443/a", "https://h:443/a"),
    ])
    func `takes a URL with or without port and prefix`(url: String, base: String) throws {
        #expect(try ExporterClient.base(of: url) == base)
    }

    @Test(arguments: [
        "", "localhost", "localhost:80", "ftp://h", "http://", "https://", "http:///a", "http://:80", "http://h:",
        "http://h:0",
        "http://h:65536", "http://h:x", "http://h:1x", "http://[::1]x", "http://[]:1", "http://h:-1", "http://h:80 ",
        "http://h/\r\nX: y", "http://h/\u{7f}", "http://::1:80", "http://h?a",
    ])
    func `refuses anything else, and says what was expected`(url: String) throws {
        let error = try #require(throws: UsageError.self) { try ExporterClient.base(of: url) }
        #expect(
            error.description == "--url: expected http://HOST:PORT or https://HOST:PORT, found \(JSONText.quoted(url))"
        )
    }

    @Test func `user info is not shown`() throws {
        let error = try #require(throws: UsageError.self) { try ExporterClient.base(of: "http://me:secret@h") }
        #expect(error.description == "--url: expected http://HOST:PORT or https://HOST:PORT")
    }

    @Test func `what only asks for health takes the health listener, others the web server with its scheme`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("web.yml", "tls_server_config: { cert_file: a, key_file: b }")
        var variables = ["NHE_WEB_CONFIG_FILE": file, "NHE_WEB_ROUTE_PREFIX": "/net"]
        #expect(try ExporterClient.local(Environment(variables: variables)) == "https://localhost:10319/net")
        variables["NHE_WEB_HEALTH_LISTEN_ADDRESS"] = "127.0.0.1:8080"
        #expect(try ExporterClient.local(Environment(variables: variables)) == "https://localhost:10319/net")
        #expect(try ExporterClient.local(Environment(variables: variables), .health) == "http://127.0.0.1:8080/net")
        try folder.write("web.yml", "basic_auth_users: {}")
        #expect(try ExporterClient.local(Environment(variables: variables)) == "http://localhost:10319/net")
        try folder.write("web.yml", "tls: {}")
        #expect(throws: UsageError.self) { try ExporterClient.local(Environment(variables: variables)) }
    }

    @Test(arguments: [
        ([:], "http://localhost:10319"), (["NHE_WEB_LISTEN_ADDRESS": ":9999"], "http://localhost:9999"),
        (["NHE_WEB_LISTEN_ADDRESS": "0.0.0.0:1"], "http://localhost:1"),
        (["NHE_WEB_LISTEN_ADDRESS": "[::]:1"], "http://localhost:1"),
        (["NHE_WEB_LISTEN_ADDRESS": "2001:db8::1:10319"], "http://[2001:db8::1]:10319"),
        (["NHE_WEB_LISTEN_ADDRESS": "[::1]:2,:3"], "http://[::1]:2"),
        (["NHE_WEB_LISTEN_ADDRESS": "127.0.0.1:2"], "http://127.0.0.1:2"),
        (["NHE_WEB_ROUTE_PREFIX": "/net/"], "http://localhost:10319/net"),
        (["NHE_WEB_EXTERNAL_URL": "https://example.com/net/"], "http://localhost:10319/net"),
        (["NHE_WEB_EXTERNAL_URL": "https://h/net/", "NHE_WEB_ROUTE_PREFIX": "/"], "http://localhost:10319"),
    ])
    func `finds the local exporter by its environment`(variables: [String: String], expected: String) throws {
        let url = try ExporterClient.local(Environment(variables: variables))
        #expect(url == expected)
        #expect(throws: Never.self) { try ExporterClient.base(of: url) }
    }
}
